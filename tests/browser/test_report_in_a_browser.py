"""Tests that a real browser shows the report: no errors, no requests, search works, hostile texts do not."""

import pytest

from oneformany.report import report_html
from report.made_results import HOSTILE, made_result

pytestmark = pytest.mark.browser

SIZES = [(1, 12), (3, 12), (300, 20_000)]


def rows_shown(page):
    return page.locator("#assignment tbody tr").count()


def cards_shown(page):
    return page.locator(".cards > .card:visible").count()


@pytest.mark.parametrize(("explanations", "rows"), SIZES)
@pytest.mark.parametrize("hostile", [False, True])
def test_the_page_loads_without_errors_or_requests(opened, explanations, rows, hostile):
    result = made_result(explanations, rows, hostile=hostile)
    page = opened(report_html(result, title=HOSTILE[1] if hostile else None))
    assert page.said == []
    assert len(page.asked) == 1
    assert page.asked[0].startswith("file:")
    assert page.title() != "owned"
    assert rows_shown(page) == min(rows, 100)
    assert cards_shown(page) == min(explanations, 60)


def test_a_large_report_is_ready_in_under_three_seconds(opened):
    page = opened(report_html(made_result(300, 20_000)))
    times = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    assert times < 3000


def test_rows_are_searched_and_filtered(opened):
    page = opened(report_html(made_result(3, 12)))
    page.fill("#table-search", "row-1")
    assert rows_shown(page) == 3  # row-1, row-10, row-11
    assert page.locator('[data-filter="table"] output').inner_text() == "3 rows"
    page.fill("#table-search", "")
    page.select_option("#table-explanation", "2")
    assert page.locator("#assignment tbody th").all_inner_texts() == ["row-1", "row-4", "row-7"]
    page.select_option("#table-explanation", "undecided")
    assert page.locator("#assignment tbody th").all_inner_texts() == ["row-11"]
    page.fill("#table-search", "no such row")
    assert rows_shown(page) == 0
    assert page.locator(".pages span").inner_text() == "no row fits"


def test_pages_of_rows_are_turned(opened):
    page = opened(report_html(made_result(3, 250)))
    turn = page.get_by_role("button", name="Next")
    turn.click()
    turn.click()
    assert page.locator(".pages span").inner_text() == "201 to 250 of 250"
    assert turn.is_disabled()
    page.get_by_role("button", name="Previous").click()
    assert page.locator("#assignment tbody th").first.inner_text() == "row-100"


def test_explanations_are_searched_and_shown_by_and_by(opened):
    page = opened(report_html(made_result(130, 400)))
    assert cards_shown(page) == 60
    page.get_by_role("button", name="Show more explanations").click()
    assert cards_shown(page) == 120
    page.fill("#card-search", "explanation 13")
    assert cards_shown(page) == 2  # 13 and 130
    assert page.locator('[data-filter="cards"] output').inner_text() == "2 explanations"


def test_everything_is_reached_with_the_keyboard(opened):
    page = opened(report_html(made_result(5, 12)))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.focus("#table-search")
    page.keyboard.type("row-3")
    assert rows_shown(page) == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "table-explanation"


def test_parts_have_names_for_a_screen_reader(opened):
    page = opened(report_html(made_result(5, 12)))
    unnamed = page.evaluate(
        """[...document.querySelectorAll("input, select, button, svg[role=img], [role=region], nav, section")]
        .filter((part) => !(part.labels && part.labels.length) && !part.textContent.trim()
            && !part.getAttribute("aria-label")).length"""
    )
    assert unnamed == 0
    assert page.locator("h1").count() == 1
    assert page.locator("html").get_attribute("lang") == "en"


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("hostile", [False, True])
def test_no_width_needs_sideways_scrolling(opened, width, hostile):
    page = opened(report_html(made_result(5, 12, hostile=hostile)), viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground_in_light_and_dark(opened, scheme):
    page = opened(report_html(made_result(5, 12)), color_scheme=scheme)
    contrast = """(selector) => {
        const part = document.querySelector(selector);
        const numbers = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((n) => {
            const c = Number(n) / 255;
            return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        });
        const light = (text) => numbers(text).reduce((sum, n, i) => sum + n * [0.2126, 0.7152, 0.0722][i], 0);
        let ground = part;
        while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
        const [a, b] = [light(getComputedStyle(part).color), light(getComputedStyle(ground).backgroundColor)];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }"""
    for selector in ("h1", ".badge", ".numbers dt", ".feature", ".members", "nav a", "caption", ".facts th"):
        assert page.evaluate(contrast, selector) >= 4.5, selector


def test_all_rows_and_explanations_are_printed_and_closed_parts_are_open(opened):
    page = opened(report_html(made_result(130, 400)))
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert rows_shown(page) == 400
    assert cards_shown(page) == 130
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert rows_shown(page) == 100


def test_a_long_table_says_how_much_of_it_is_printed(opened):
    page = opened(report_html(made_result(3, 1500)))
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".printed").text_content().startswith("The first 1,000 of 1,500 rows are printed")
