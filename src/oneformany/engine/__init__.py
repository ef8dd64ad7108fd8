"""The exact method: columns come from a source, and one loop chooses among them.

``solve.py`` is the front, ``context.py`` what a run shares, ``standing.py`` what is known at a moment. The
loop is ``choose.py``, then ``cheapen.py``. ``sources/`` holds a file for each kind of source and the one
decision between them (``opening.py``), ``masters/`` the two ways to choose among columns.

Sources are made of ``listing/`` (all columns), ``pricing/`` and ``tree.py`` (columns on demand), ``few/`` (a
few rows) and ``saving/`` (cost without a listing); masters of ``table/`` and ``cover/``. ``certificate.py``
writes down what is proved.
"""
