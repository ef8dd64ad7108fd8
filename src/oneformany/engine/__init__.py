"""The exact method. ``solve.py`` is the front; ``plan.py`` decides which of two ways to go.

``exact.py`` generates columns: master and branching in ``tree.py``, pricing in ``pricing/``, the set cover
that closes the gap in ``cover/``, least cost in ``saving/``. ``listed.py`` lists all columns (``listing/``)
and chooses from the table (``table/``). ``certificate.py`` and ``listed_answers.py`` write down what is
proved.
"""
