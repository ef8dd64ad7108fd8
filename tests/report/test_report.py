"""Tests that the page tells what the result holds, needs nothing else, and obeys nothing that users wrote."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import oneformany as ofm
from oneformany.exceptions import InputError
from oneformany.report import report_html
from oneformany.report.content import cards, charts, line_chart, lines_of_rows, round_ticks
from oneformany.statistics import Round, Statistics
from report.made_results import HOSTILE, made_result


class Checked(HTMLParser):
    """Opened and closed elements, their texts, and every attribute that could load or run something."""

    VOID = frozenset({"meta", "link", "img", "input", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.suspicious, self.wrong = [], [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name.startswith("on") or name in {"src", "srcset", "action"}:
                self.suspicious.append((tag, name, value))
            if name == "href" and not value.startswith("#"):
                self.suspicious.append((tag, name, value))
        if tag in {"img", "iframe", "link", "object", "embed", "base"}:
            self.suspicious.append((tag, "", ""))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def checked(html):
    found = Checked()
    found.feed(html)
    return found


@pytest.fixture(scope="module")
def plain():
    return report_html(made_result())


@pytest.mark.parametrize("hostile", [False, True])
def test_the_page_is_well_formed_loads_nothing_and_runs_nothing_of_the_users(hostile):
    html = report_html(made_result(hostile=hostile), title=HOSTILE[0] if hostile else None)
    found = checked(html)
    assert (found.open, found.wrong, found.suspicious) == ([], [], [])
    assert len(found.ids) == len(set(found.ids))
    assert html.count("<script") == 2
    assert "http" not in re.sub(r"http-equiv", "", html)


def test_control_characters_are_shown_and_not_obeyed():
    html = report_html(made_result(hostile=True))
    assert not set("\x1b\u202e\u2028") & set(html)
    assert r"a\x1b[31m\u202eb\u2028c" in html


def test_the_headline_counts_and_says_what_is_open(plain):
    assert dict(re.findall(r"<dt>(.*)</dt><dd>(.*)</dd>", plain)) == {
        "rows refused": "12",
        "covered": "10",
        "explanations": "3",
        "proved: no fewer than": "2",
        "cannot be helped, proved": "1",
        "undecided": "1",
        "gap": "50.0%",
        "changes per covered row": "2.00",
    }
    assert '<span class="badge open">not all proved</span>' in plain


def test_cards_tell_whom_they_cover_what_changes_and_what_is_shared():
    first, *_ = cards(made_result())
    assert (first["number"], first["people"], first["members"]) == (
        1,
        "4 rows",
        "rows row-0, row-3, row-6, row-9",
    )
    assert list(first["changes"]) == [
        ("income", "middle 0", "4 from low 0"),
        ("job", "middle 1", "4 from low 1"),
    ]
    assert first["common"] == [("town", "low 2")]


def test_every_row_stands_in_the_table_with_what_becomes_of_it():
    head, *table = lines_of_rows(made_result())
    assert head == ("row", "explanation", "changes", "what it changes, or why not")
    assert len(table) == 12
    assert table[0] == ("row-0", "1", "2", "income → middle 0; job → middle 1")
    assert table[10] == ("row-10", "cannot be helped", "", "no positive point within 2 changes")
    assert table[11] == ("row-11", "undecided", "", "")


def test_people_are_counted_where_rows_stand_for_several():
    result = made_result()
    many = replace(result, problem={**result.problem, "people": [3] * 12})
    head, first, *_ = lines_of_rows(many)
    assert head == ("row", "explanation", "changes", "people", "what it changes, or why not")
    assert first == ("row-0", "1", "2", "3", "income → middle 0; job → middle 1")
    page = report_html(many)
    assert ">People without an explanation<" in page
    assert "Of undecided people nothing is claimed." in page


def test_rules_model_and_digest_are_told(plain):
    facts = dict(re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td>', plain))
    assert facts["model"] == "Tree"
    assert facts["threshold"] == "0.5"
    assert facts["digest of the result"].startswith("sha256:")
    assert "age cannot change" in plain


def test_a_result_from_its_file_makes_the_very_same_page(tmp_path):
    result = ofm.solve(_problem())
    result.to_json(tmp_path / "result.json")
    again = ofm.Result.from_json(tmp_path / "result.json")
    assert report_html(again) == report_html(result)


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_a_page_is_made_for_results_of_the_core_without_names(share):
    html = report_html(ofm.solve(_problem(share)))
    assert "feature 0" in html
    assert checked(html).wrong == []


def test_a_page_is_made_where_nothing_can_be_helped():
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=2)
    html = report_html(ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1)))
    assert '<span class="badge impossible">impossible, proved</span>' in html
    assert "There is no explanation to show." in html
    assert "<strong>Cannot be helped.</strong>" in html
    assert "Proved to be beyond help: 1 row." in html
    assert "Pictures" not in html


@pytest.mark.parametrize("write", ["report", "to_json"])
def test_a_folder_that_does_not_exist_is_named(tmp_path, write):
    missing = tmp_path / "none" / "x.html"
    with pytest.raises(InputError, match=r"the folder of .*none/x\.html does not exist; make it first"):
        getattr(made_result(), write)(missing)
    (tmp_path / "x.html").mkdir()
    with pytest.raises(InputError, match=r"x\.html is a folder; name a file in it") as caught:
        getattr(made_result(), write)(tmp_path / "x.html")
    assert ".tmp" not in str(caught.value)


def test_the_file_is_written_whole(tmp_path):
    made_result().report(tmp_path / "report.html", title="Audit of spring")
    assert "<h1>Audit of spring</h1>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_three_hundred_explanations_and_twenty_thousand_rows_make_a_page_of_a_few_megabytes():
    html = report_html(made_result(300, 20_000))
    assert html.count('<article class="card"') == 300
    assert len(html) < 4_000_000


def test_ticks_are_round_and_cover_the_range():
    assert round_ticks(31.0) == [0.0, 10.0, 20.0, 30.0, 40.0]
    assert round_ticks(100.0) == [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    assert round_ticks(0.0, integers=True) == [0.0, 1.0]
    assert round_ticks(2.0) == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert round_ticks(6.29, 6.11) == [6.1, 6.15, 6.2, 6.25, 6.3]
    assert round_ticks(6.29, 0.1) == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert round_ticks(3.0, 3.0, integers=True) == [3.0, 4.0]


def test_a_chart_is_filled_although_its_first_point_came_late():
    chart = line_chart("t", "s", [("a", "value", [(6.11, 9.0), (6.29, 4.0)])], "x", "y", counted="y")
    first, last = (float(point.split(",")[0]) for point in chart["series"][0][2].split())
    assert last - first > 400
    assert chart["x_ticks"][0] == (60.0, "6.1")


def test_there_is_no_half_of_an_explanation_on_an_axis():
    assert round_ticks(2.0, integers=True) == [0.0, 1.0, 2.0]
    coverage = next(charts(made_result(explanations=2)))
    assert [label for _, label in coverage["x_ticks"]] == ["0", "1", "2"]
    assert coverage["summary"] == "1 of 2 explanations covers at least half of the covered rows"


def test_only_runs_of_a_second_or_more_have_a_picture_of_their_way():
    rounds = [Round("start", 0, 5, 6.0, 1, 6, 0.2), Round("cover", 1, 5, 3.0, 3, 3, 1.2)]
    made = [
        list(charts(replace(made_result(explanations=2), statistics=Statistics(rounds=steps))))
        for steps in (rounds, [replace(step, seconds=step.seconds / 10) for step in rounds])
    ]
    assert [len(drawn) for drawn in made] == [2, 1]
    assert "3 after 1.2 seconds, with a bound of 3" in made[0][1]["summary"]


def test_the_page_speaks_of_no_arguments():
    result = replace(made_result(explanations=9), undecided=(), ended="proved", lower_bound=9)
    assert "share='action'" in result.summary()
    html = report_html(result)
    assert "What to do:" in html
    assert "share=" not in html
    assert "max_changes=" not in html


def test_lines_are_thinned_but_keep_their_ends():
    chart = line_chart("t", "s", [("a", "value", [(float(i), 1.0) for i in range(5000)])], "x", "y")
    points = chart["series"][0][2].split()
    assert len(points) == 400
    assert points[0].startswith("60.0,")


def _problem(share="point"):
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    return ofm.Problem([[0, 0, 0], [1, 0, 0], [0, 1, 0]], (2, 2, 2), oracle, max_changes=2, share=share)
