"""Opens pages in Debian's Chromium without a network, through the DevTools protocol over a pipe. Uses only
the standard library.

    https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = "chromium", "chromium-browser", "google-chrome"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"]
TIMEOUT = 3600  # seconds, against hanging


def program() -> str | None:
    """Returns the path of the browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A browser with one page. Use it in a with statement, which ends it."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="lambdamart-browser-")
        self.events: list[dict] = []
        self.last = 0
        commands, self.to = os.pipe()
        self.back, answers = os.pipe()
        # The browser reads commands from file descriptor 3 and writes answers to 4. Debian's sh takes none above 9, bash does.
        shell = ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", program(), *FLAGS, f"--user-data-dir={self.profile}"]
        self.said = tempfile.TemporaryFile()  # its messages, which are printed only if it fails
        # With faketime (clock.sh) it hangs, so that it has the day of the system.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        self.process = subprocess.Popen(["timeout", str(TIMEOUT), *shell], pass_fds=(commands, answers), stdout=self.said, stderr=self.said, env=environment)
        os.close(commands)
        os.close(answers)
        self.buffer = b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.said.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method: str, **parameters) -> dict:
        """Sends a command and returns its result."""
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if getattr(self, "session", None):
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        while True:
            message = self.read()
            if message.get("id") != self.last:
                self.events.append(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            else:
                return message["result"]

    def read(self) -> dict:
        while b"\0" not in self.buffer:
            more = os.read(self.back, 1 << 20)
            if not more:
                self.said.seek(0)
                said = self.said.read().decode(errors="replace")
                raise RuntimeError(f"the browser ended with exit status {self.process.wait()}; it said:\n{said}")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def open(self, path: Path | str, width: int, height: int, scheme: str) -> None:
        """Loads a file, or the page of an address, in a window of the given size. scheme is light or dark."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=path if isinstance(path, str) else path.resolve().as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.read())
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def evaluate(self, script: str):
        """Returns the value of an expression."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """Writes a picture of the whole page."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(picture["data"]))

    def complaints(self) -> list[str]:
        """Returns all messages of the console, of any level, and exceptions."""
        said = []
        for event in self.events:
            parameters = event.get("params", {})
            match event.get("method"):
                case "Runtime.exceptionThrown":
                    said.append(parameters["exceptionDetails"]["text"])
                case "Runtime.consoleAPICalled":
                    said.append(" ".join(str(a.get("value")) for a in parameters["args"]))
                case "Log.entryAdded":
                    said.append(parameters["entry"]["text"])
        return said

    def requests(self) -> list[str]:
        """Returns the addresses that the page requested, except data: URLs."""
        urls = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith("data:")]
