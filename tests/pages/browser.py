"""A headless Chromium, driven through its debugging pipe: opens a page, asks it, clicks in it, lists its requests."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

from screenshot import Picture

BROWSER = shutil.which("chromium-headless-shell")


class Browser:
    def __init__(self):
        self._profile = tempfile.TemporaryDirectory(prefix="culprit-pages-", ignore_cleanup_errors=True)
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def place_pipe():  # the browser reads commands from 3 and writes answers to 4
            low, high = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self._process = subprocess.Popen(
            [BROWSER, "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self._profile.name}",
             "--window-size=1200,900", "about:blank"],
            close_fds=False, preexec_fn=place_pipe, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self._answers, self._commands = os.fdopen(ours_in, "rb"), os.fdopen(ours_out, "wb")
        self._pending = b""
        self._last = 0
        self._session = None
        self.requests = []  # addresses asked for since open()
        page = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self._call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._answers.close()
        self._commands.close()
        self._profile.cleanup()

    def open(self, file):
        self.requests = []
        self._call("Page.navigate", url=file.resolve().as_uri())
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def ask(self, expression):
        """The value of a JavaScript expression in the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def picture(self):
        """Of what the window shows."""
        return Picture(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))

    def box(self, selector):
        """Left, top, right and bottom of the first element that the selector finds, scrolled to, in pixels."""
        return self.ask(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center"}});
            const box = element.getBoundingClientRect();
            return [box.left, box.top, box.right, box.bottom].map(Math.round);
        }})()""")

    def click(self, selector):
        """A click of the mouse in the middle of the first element that the selector finds."""
        x, y = self.ask(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center"}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.ask("new Promise(done => setTimeout(done, 50))")  # what the click set off runs first

    def _call(self, method, **parameters):
        self._last += 1
        command = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        self._commands.write(json.dumps(command).encode() + b"\0")
        self._commands.flush()
        while True:
            message = self._message()
            if message.get("id") == self._last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def _message(self):
        while b"\0" not in self._pending:
            more = self._answers.read1(65536)
            if not more:
                raise RuntimeError("the browser ended")
            self._pending += more
        text, self._pending = self._pending.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        return message
