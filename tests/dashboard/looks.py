"""Actions and observations of a reader of the dashboard, through the browser."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE_S = 60
WORK_S = 0.2


def crowding() -> float:
    """Factor by which a piece of work takes longer than its CPU time here and now, at
    least 1.

    What a reader feels is said for a machine that has nothing else to do.
    """
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    while time.process_time() - cpu_s < WORK_S:
        pass
    return max(1.0, (time.perf_counter() - wall_s) / WORK_S)


def label_of(element: WebElement) -> str:
    """Words of a screen reader for an element that has a label."""
    label = element.get_attribute("aria-label")
    assert label is not None
    return label


class Look:
    """A page that is open."""

    def __init__(self, driver: Chrome, page: Path | str, fragment: str = "") -> None:
        self.driver = driver
        driver.get("about:blank")
        # Selenium does not annotate this method.
        self._log: Callable[[str], list[dict[str, str]]] = driver.get_log
        self.complaints()  # This empties the log.
        address = page if isinstance(page, str) else page.as_uri()
        driver.get(f"{address}{fragment}")

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.one(selector).text

    def until(self, holds: Any) -> Any:
        return WebDriverWait(self.driver, PATIENCE_S, 0.02).until(lambda _: holds())

    def until_painted(self) -> float:
        """When something was painted first, in ms since the page was asked for."""
        entries = "performance.getEntriesByName('first-contentful-paint')"
        text = f"return {entries}.length ? {entries}[0].startTime : null"
        return float(self.until(lambda: self.script(text)))

    @property
    def counted(self) -> int:
        """The runs that are shown."""
        words = self.text("#count").split()
        return 0 if words[0] == "none" else int(words[0])

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def drag(
        self, selector: str, begin: tuple[float, float], end: tuple[float, float]
    ) -> None:
        """Over an element; places are parts of its width and height."""
        element = self.one(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        size = element.size
        places = [
            (round((x - 0.5) * size["width"]), round((y - 0.5) * size["height"]))
            for x, y in (begin, end)
        ]
        chain = ActionChains(self.driver, duration=20)
        chain.move_to_element_with_offset(element, *places[0]).click_and_hold()
        chain.move_to_element_with_offset(element, *places[1]).release().perform()

    def choose(self, selector: str, value: str) -> None:
        self.script(
            "const [s, v] = arguments; s.value = v;"
            " s.dispatchEvent(new Event('change'));",
            self.one(selector),
            value,
        )

    def slide(self, number: int, value: int) -> None:
        """Move the end of a factor's range."""
        self.script(
            "const [input, value] = arguments; input.value = value;"
            " input.dispatchEvent(new Event('input'))",
            self.all("#factors input")[number],
            value,
        )

    def open(self, line: int) -> None:
        self.script(
            "document.querySelectorAll('tr[data-row]')[arguments[0]].click()", line
        )
        self.until(lambda: self.all("#run h3"))

    def colours(self, selector: str) -> int:
        """Number of colours of a canvas: 1 if nothing is drawn."""
        found: int = self.script(
            "const c = arguments[0], d = c.getContext('2d')"
            ".getImageData(0, 0, c.width, c.height).data;"
            "const s = new Set(); for (let i = 0; i < d.length; i += 4)"
            " s.add(`${d[i]},${d[i+1]},${d[i+2]},${d[i+3]}`); return s.size",
            self.one(selector),
        )
        return found

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self._log("browser")]

    @property
    def fragment(self) -> str:
        """The fragment of the page's address, decoded."""
        found: str = self.script("return decodeURIComponent(location.hash.slice(1))")
        return found.replace("+", " ")


ESCAPE, ENTER, RIGHT, DOWN, TAB = (
    *(Keys.ESCAPE, Keys.ENTER, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.TAB),
)
