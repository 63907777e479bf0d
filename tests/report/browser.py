"""A headless Chromium, driven through its debugging pipe: no library needed.

One browser serves many pages. Commands and answers are JSON texts that end with a NUL byte
(--remote-debugging-pipe, file descriptors 3 and 4).
"""

import base64
import itertools
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "Escape": 27, "Home": 36, "End": 35, "Tab": 9}
SHIFT = 8


class Browser:
    """Start with `with`; `page(...)` opens one after the other."""

    def __init__(self, profile):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def pipes():  # in the child
            ends = os.dup(to_browser), os.dup(from_browser)  # either may be 3 or 4 itself
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--hide-scrollbars", "--disable-background-networking", "--force-color-profile=srgb",
             f"--user-data-dir={profile}"],
            preexec_fn=pipes, close_fds=False, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._numbers = itertools.count(1)
        self._left = b""
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._out)
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=30)
        os.close(self._in)

    def _message(self, timeout):
        end = time.monotonic() + timeout
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("no answer from the browser")
            read = os.read(self._in, 1 << 20)
            if not read:
                raise EOFError("the browser ended")
            self._left += read
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, timeout=60, **params):
        number = next(self._numbers)
        command = {"id": number, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        os.write(self._out, json.dumps(command).encode() + b"\0")
        while True:
            message = self._message(timeout)
            if message.get("id") == number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def page(self, file, **options):
        return Tab(self, pathlib.Path(file), **options)


class Tab:
    """One page. Sizes are CSS pixels; `touch` makes it a phone."""

    def __init__(self, browser, file, width=1280, height=900, dark=False, touch=False, script=True):
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._target = target
        self._session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if touch else 1, mobile=touch)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if touch:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        browser.events.clear()
        self.call("Page.navigate", url=file.resolve().as_uri())
        if script:
            end = time.monotonic() + 60
            while self.run("document.readyState") != "complete":
                assert time.monotonic() < end

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._browser.call("Target.closeTarget", targetId=self._target)

    def call(self, method, **params):
        return self._browser.call(method, session=self._session, **params)

    def run(self, expression):
        """The value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def problems(self):
        """What the console, the policy and the network have to complain about."""
        self.run("0")  # events that are under way come before its answer
        found = []
        for event in self._browser.events:
            if event.get("sessionId") != self._session:
                continue
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"]["text"])
            elif event["method"] == "Log.entryAdded":
                found.append(params["entry"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(str(params["args"]))
            elif event["method"] == "Network.requestWillBeSent" and not params["request"]["url"].startswith("file:"):
                found.append(params["request"]["url"][:200])
        return found

    def box(self, selector, number=0):
        """x, y, width, height of an element, scrolled into view."""
        return self.run(
            f"(() => {{ const e = document.querySelectorAll({json.dumps(selector)})[{number}];"
            " e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
            " return [b.x, b.y, b.width, b.height]; })()"
        )

    def mouse(self, kind, x, y, buttons=0, modifiers=0, clicks=0):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, modifiers=modifiers, buttons=buttons,
                  button="left" if kind != "mouseMoved" or buttons else "none", clickCount=clicks)

    def drag(self, start, end, modifiers=0):
        self.mouse("mousePressed", *start, buttons=1, modifiers=modifiers, clicks=1)
        for part in (0.25, 0.5, 0.75, 1):
            x = start[0] + (end[0] - start[0]) * part
            y = start[1] + (end[1] - start[1]) * part
            self.mouse("mouseMoved", x, y, buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", *end, modifiers=modifiers, clicks=1)

    def double_click(self, x, y):
        for clicks in (1, 2):
            self.mouse("mousePressed", x, y, buttons=1, clicks=clicks)
            self.mouse("mouseReleased", x, y, clicks=clicks)

    def swipe(self, start, end):
        def touch(kind, points):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in points])

        touch("touchStart", [start])
        for part in (0.25, 0.5, 0.75, 1):
            touch("touchMove", [(start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part)])
        touch("touchEnd", [])

    def key(self, key, modifiers=0):
        text = key if len(key) == 1 else ""
        code = KEYS.get(key, ord(key.upper()) if text else 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code,
                  modifiers=modifiers)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def picture(self, file, whole=True):
        """A screenshot, of the whole page or of the window."""
        options = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options = {"captureBeyondViewport": True,
                       "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
        data = self.call("Page.captureScreenshot", **options)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))
