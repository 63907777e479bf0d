"""The page in a real browser: zoom, pan, keys, read-out, phone, dark, and nothing to complain about."""

import re

import pytest

SHIFT = 8
STEPS = "#steps svg.plot.timed"
READOUT = "document.getElementById('readout').textContent"


@pytest.fixture
def gpu(pages, browser):
    page = next(page for page in pages if page.stem == "one_gpu")
    with browser.page(page) as tab:
        yield tab


def shown(tab, selector=STEPS):
    """From and to of what a chart shows, as shares of the whole."""
    x, _, width, _ = map(float, tab.run(f"document.querySelector('{selector} svg.layer').getAttribute('viewBox')").split())
    return x / 100_000, (x + width) / 100_000


def brush(tab, begin, end, selector=STEPS, y=60, modifiers=0):
    left, top, width, _ = tab.box(selector)
    tab.drag((left + begin * width, top + y), (left + end * width, top + y), modifiers)


def near(got, wanted, by=0.004):
    return all(abs(a - b) < by for a, b in zip(got, wanted))


def test_a_brush_zooms_all_charts_of_the_run_and_a_double_click_shows_all_again(gpu):
    ticks = gpu.run(f"document.querySelector('{STEPS}').textContent")
    brush(gpu, 0.25, 0.5)
    assert near(shown(gpu), (0.25, 0.5))
    assert near(shown(gpu, "#devices svg.plot.timed"), (0.25, 0.5)), "charts of the run's time go together"
    assert shown(gpu, "#steps svg.plot:not(.timed)") == (0, 1)
    assert gpu.run("document.querySelector('.zoom span').textContent") == "53.5 s to 1:47.0 min"
    assert gpu.run(f"document.querySelector('{STEPS}').textContent") != ticks, "ticks are those of what is shown"
    brush(gpu, 0.5, 0.75)
    assert near(shown(gpu), (0.375, 0.4375)), "a brush inside a brush"
    left, top, width, _ = gpu.box(STEPS)
    gpu.double_click(left + width / 2, top + 60)
    assert shown(gpu) == (0, 1)
    assert gpu.run(f"document.querySelector('{STEPS}').textContent") == ticks
    assert gpu.run("document.querySelector('.zoom').hidden")


def test_a_tiny_drag_is_a_click_and_a_brush_leaves_nothing_behind(gpu):
    brush(gpu, 0.5, 0.502)
    assert shown(gpu) == (0, 1)
    brush(gpu, 0.6, 0.3)
    assert near(shown(gpu), (0.3, 0.6)), "a brush from right to left"
    assert gpu.run("document.querySelectorAll('.brush').length") == 0


def test_shift_and_the_axis_pan_and_stop_at_the_ends(gpu):
    brush(gpu, 0.4, 0.6)
    brush(gpu, 0.5, 0.75, modifiers=SHIFT)
    assert near(shown(gpu), (0.35, 0.55))
    left, top, width, height = gpu.box(STEPS)
    gpu.drag((left + width / 2, top + height - 20), (left + width / 4, top + height - 20))
    assert near(shown(gpu), (0.4, 0.6))
    for _ in range(4):
        brush(gpu, 0.1, 0.9, modifiers=SHIFT)
    assert near(shown(gpu), (0, 0.2))


def test_keys_zoom_pan_and_reset(gpu):
    gpu.run(f"document.querySelector('{STEPS}').focus()")
    gpu.key("+")
    assert near(shown(gpu), (0.25, 0.75))
    gpu.key("ArrowRight", SHIFT)
    assert near(shown(gpu), (0.375, 0.875))
    gpu.key("-")
    assert shown(gpu) == (0, 1)
    for _ in range(12):
        gpu.key("+")
    begin, end = shown(gpu)
    assert 0.0019 < end - begin < 0.0021, "closer than the coordinates are fine is no zoom"
    gpu.key("0")
    assert shown(gpu) == (0, 1)
    gpu.key("ArrowRight")
    assert gpu.run("document.getElementById('readout').hidden") is False
    gpu.key("Escape")
    assert gpu.run("document.getElementById('readout').hidden") is True


def test_the_read_out_names_the_step_and_the_value_to_the_grain_of_the_chart(gpu):
    left, top, width, _ = gpu.box(STEPS)
    gpu.mouse("mouseMoved", left + 0.3 * width, top + 60)
    text = gpu.run(READOUT)
    assert re.fullmatch(r"1:04(\.\d)? min, step \d+: .*data_wait \d{3} ms.*together \d{3} ms", text), text
    step = int(re.search(r"step (\d+)", text)[1])
    left, top, width, _ = gpu.box("#devices svg.plot.timed")
    gpu.mouse("mouseMoved", left + 0.3 * width, top + 60)
    text = gpu.run(READOUT)
    assert f", step {step}: busy 1" in text and "tensor cores 5" in text, text
    assert re.search(r"busy \d+\.\d %", text), "no digit that the drawing does not have"


def test_the_read_out_counts_steps_from_one_to_the_last(gpu):
    gpu.run(f"document.querySelector('{STEPS}').focus()")
    gpu.key("Home")
    first = None
    for _ in range(12):
        gpu.key("ArrowRight")
        found = re.search(r", step (\d+)", gpu.run(READOUT))
        first = first or (found and int(found[1]))
    assert first == 1 or first == 2
    gpu.key("End")
    last = None
    for _ in range(6):
        gpu.key("ArrowLeft")
        last = last or re.search(r", step (\d+)", gpu.run(READOUT))
    bars = gpu.run(f"document.querySelector('{STEPS}').dataset.steps.split(' ').length / 3")
    assert bars - 3 <= int(last[1]) <= bars


def test_a_close_up_says_how_long_a_span_took(gpu):
    left, top, width, _ = gpu.box("#steps svg.plot:not(.timed)")
    gpu.mouse("mouseMoved", left + 0.05 * width, top + 140)
    assert "data_wait 582 ms" in gpu.run(READOUT)


def test_buttons_of_the_zoom(gpu):
    brush(gpu, 0.4, 0.6)
    for number, wanted in ((0, (0.3, 0.5)), (1, (0.4, 0.6)), (2, (0.45, 0.55)), (3, (0.4, 0.6)), (4, (0, 1))):
        gpu.run(f"document.querySelectorAll('.zoom button')[{number}].click()")
        assert near(shown(gpu), wanted), number


def test_a_finger_brushes_then_pans(pages, browser):
    page = next(page for page in pages if page.stem == "one_gpu")
    with browser.page(page, width=400, height=800, touch=True) as tab:
        left, top, width, _ = tab.box(STEPS)
        tab.swipe((left + 0.25 * width, top + 60), (left + 0.75 * width, top + 60))
        assert near(shown(tab), (0.25, 0.75), 0.02)
        left, top, width, _ = tab.box(STEPS)
        tab.swipe((left + 0.5 * width, top + 60), (left + 0.9 * width, top + 60))
        assert near(shown(tab), (0.05, 0.55), 0.02)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.every_change("1280-light", "400-dark")
def test_no_page_scrolls_sideways_or_complains(pages, browser, width, dark):
    for page in pages:
        if re.search(r"hostile.*\d", page.stem) and int(re.sub(r"\D", "", page.stem)) > 8:
            continue
        with browser.page(page, width=width, height=800, dark=dark) as tab:
            tab.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            wide = tab.run("document.documentElement.scrollWidth")
            assert wide <= width, (page.stem, wide)
            assert tab.problems() == [], page.stem
            assert tab.run("document.getElementById('theme').hidden") is False, "our own script runs"
            background = tab.run("getComputedStyle(document.documentElement).backgroundColor")
            assert background == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")


def test_hostile_texts_run_nothing(pages, browser):
    for page in pages:
        if "hostile" not in page.stem:
            continue
        with browser.page(page) as tab:
            assert tab.run("document.querySelectorAll('script').length") == 1
            assert tab.run("document.querySelectorAll('img, iframe, object').length") == 0
            assert tab.problems() == [], page.stem


def test_without_its_script_the_page_offers_nothing_that_does_not_work(pages, browser):
    page = next(page for page in pages if page.stem == "one_gpu")
    text = page.read_text()
    for name in ("theme", "chart-help", "readout"):
        assert re.search(rf'id="{name}"[^>]* hidden="hidden"', text), name
    with browser.page(page) as tab:
        assert tab.run("document.getElementById('chart-help').hidden") is False
        assert tab.run("document.querySelector('figure').previousElementSibling.id") == "chart-help"


@pytest.mark.parametrize("name", ["tune", "search"])
def test_charts_of_trials_name_a_trial_under_the_pointer_and_do_not_zoom(pages, browser, name):
    page = next(page for page in pages if page.stem == name)
    with browser.page(page) as tab:
        left, top, width, _ = tab.box("svg.plot.fixed circle", 1)
        tab.mouse("mouseMoved", left + width / 2, top + width / 2)
        text = tab.run(READOUT)
        assert ("num_workers 0 -> 6 1010/s" if name == "tune" else "#2 after 20 steps 150") in text, text
        assert not tab.run("document.querySelector('svg.plot.fixed').closest('figure').querySelector('.zoom')")


def test_the_two_runs_of_a_comparison_zoom_alone(pages, browser):
    page = next(page for page in pages if page.stem == "compare")
    with browser.page(page) as tab:
        charts = tab.run("document.querySelectorAll('svg.plot[data-steps*=\" \"]').length")
        assert charts == 2
        brush(tab, 0.25, 0.5, 'svg.plot[data-steps*=" "]')
        first, second = tab.run(
            "Array.from(document.querySelectorAll('svg.plot[data-steps*=\" \"] svg.layer'), l => l.getAttribute('viewBox'))"
        )
        assert first != second and second.startswith("0 ")


def test_escape_gives_a_brush_up(gpu):
    left, top, width, _ = gpu.box(STEPS)
    gpu.mouse("mousePressed", left + 0.2 * width, top + 60, buttons=1, clicks=1)
    gpu.mouse("mouseMoved", left + 0.5 * width, top + 60, buttons=1)
    assert gpu.run("document.querySelectorAll('.brush').length") == 1
    gpu.key("Escape")
    assert gpu.run("document.querySelectorAll('.brush').length") == 0
    gpu.mouse("mouseReleased", left + 0.5 * width, top + 60, clicks=1)
    assert shown(gpu) == (0, 1)
