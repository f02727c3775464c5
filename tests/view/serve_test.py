# SPDX-License-Identifier: Apache-2.0
"""What `talus view --serve` answers, to hostile clients too, and how it begins and ends.

    serve_test.py TALUS"""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def run(talus, folder, *arguments):
    return subprocess.run([talus, *arguments], cwd=folder, capture_output=True, text=True)


class Server:
    """A served run, and its address."""

    started = []

    def __init__(self, talus, folder, *runs, port="0"):
        self.process = subprocess.Popen([talus, "view", *runs, "--serve", "--port", port], cwd=folder, stderr=subprocess.PIPE, text=True)
        Server.started.append(self.process)
        line = self.process.stderr.readline()
        found = re.match(r"open http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32})/ in a browser; Ctrl-C ends\n$", line)
        check(found, f"its first line is {line!r}")
        self.port, self.key = int(found[1]), found[2]
        self.address = f"http://127.0.0.1:{self.port}{self.key}/"

    def ask(self, target, method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, target, body)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, answer, text

    def news(self, **parameters):
        query = "&".join(f"{k}={v}" for k, v in {"run": 0, "identity": 0, "version": 0, "step": -1, "every": 1, "share": 1, **parameters}.items())
        return self.ask(f"{self.key}/news?{query}")

    def raw(self, data):
        """All that comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(data)
            text = b""
            while piece := connection.recv(65536):
                text += piece
            return text

    def end(self, by=signal.SIGINT):
        self.process.send_signal(by)
        return self.process.wait(30)


def test_answers(talus, folder):
    """The page, and news for what a page has seen."""
    server = Server(talus, folder, "a.h5")
    status, answer, page = server.ask(server.key + "/")
    check(status == 200 and answer.headers["Content-Type"] == "text/html; charset=utf-8", "the page")
    check(int(answer.headers["Content-Length"]) == len(page), "length of the page")
    check(b"connect-src 'self'" in page, "the page may ask its server")
    check(b'class="chunk"' not in page, "frames come later")
    live = json.loads(re.search(rb'"live": (\{[^}]*\})', page)[1])
    status, answer, text = server.news(**live)
    news = json.loads(text)
    check(news["identity"] == live["identity"] and news["growing"] is None and not news["more"], "what the page has is not sent again")
    steps = [step for chunk in news["chunks"] for step in chunk["step"]]
    check(steps == list(range(0, 41, 2)), f"frames at steps {steps}")
    news = json.loads(server.news(**{**live, "step": 30, "every": 4, "version": 99})[2])
    check([step for chunk in news["chunks"] for step in chunk["step"]] == [32, 40], "every fourth frame after step 30")
    check(news["growing"]["steps"] == 40, "series of another version")
    check(json.loads(server.news(**{**live, "identity": "x"})[2])["chunks"] == [], "frames of another run")
    status, answer, text = server.ask(server.key + "/", "HEAD")
    check(status == 200 and text == b"" and int(answer.headers["Content-Length"]) > 10000, "HEAD")
    os.rename(os.path.join(folder, "a.h5"), os.path.join(folder, "b.h5"))
    time.sleep(0.4)
    news = json.loads(server.news(**live)[2])
    check(news["problem"].startswith("a.h5: no such file"), f"its problem is {news['problem']!r}")
    check(server.ask(server.key + "/")[0] == 503, "a page of a run that is gone")
    os.rename(os.path.join(folder, "b.h5"), os.path.join(folder, "a.h5"))
    time.sleep(0.4)
    check(json.loads(server.news(**live)[2])["problem"] == "", "the run is back")
    check(server.end() == 0, "exit code after Ctrl-C")


def test_hostile(talus, folder):
    """Requests that are refused, and clients that never finish; others are still served."""
    server = Server(talus, folder, "a.h5")
    for target in ("/", "/favicon.ico", server.key, server.key[:-1] + "/", server.key + "/../a.h5", server.key + "/a.h5", server.key + "//",
                   server.key + "/news", server.key + "/news?run=1", "/" + "0" * 32 + "/"):
        check(server.ask(target)[0] == 404, f"{target} is not refused")
    for name, value in (("run", "1"), ("run", "-1"), ("run", "99999999999999999999"), ("every", "0"), ("every", "18446744073709551615"), ("share", "0"),
                        ("share", "nan"), ("share", "-1"), ("step", "x"), ("version", ""), ("step", "9" * 30)):
        check(server.news(**{name: value})[0] == 404, f"{name}={value} is not refused")
    check(server.news(identity="<script>")[0] == 200, "any identity is another run")
    status, answer, _ = server.ask(server.key + "/", "POST", b"x" * 100000)
    check(status == 405 and answer.headers["Allow"] == "GET, HEAD", "POST")
    for text in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET /\r\n\r\n", b"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", b"GET / FTP/1\r\n\r\n",
                 b"\x00\xff\x16\x03\x01\r\n\r\n", b"GET  HTTP/1.1\r\n\r\n"):
        check(server.raw(text).startswith(b"HTTP/1.1 400 "), f"{text} is not refused")
    check(server.raw(b"GET /" + b"a" * 9000).startswith(b"HTTP/1.1 431 "), "a long request is not refused")
    silent = []
    for k in range(15):  # one less than it has room for
        silent.append(socket.create_connection(("127.0.0.1", server.port), timeout=30))
        silent[-1].sendall(b"GET / HT"[: k % 8])
    check(server.ask(server.key + "/")[0] == 200, "silent clients keep others out")
    check(silent[0].recv(10) == b"", "a silent client is not sent away")  # after ten seconds
    for client in silent:
        client.close()
    check(server.ask(server.key + "/")[0] == 200, "the server has suffered")
    check(server.end(signal.SIGTERM) == 0, "exit code after SIGTERM")


def test_loopback(talus, folder):
    """It listens on 127.0.0.1 only, says so when the port is taken, and two servers have two keys."""
    server = Server(talus, folder, "a.h5", "a.h5")
    listening = open(f"/proc/{server.process.pid}/net/tcp").read().split("\n")
    mine = [line.split()[1] for line in listening[1:] if line and line.split()[3] == "0A" and line.split()[1].endswith(f":{server.port:04X}")]
    check(mine == [f"0100007F:{server.port:04X}"], f"it listens at {mine}")
    second = run(talus, folder, "view", "a.h5", "--serve", "--port", str(server.port))
    check(second.returncode == 2, "a port in use")
    check(second.stderr == f"--port {server.port}: in use by another program; choose another, or 0 for any that is free\n", second.stderr)
    other = Server(talus, folder, "a.h5")
    check(other.key != server.key, "one key for two servers")
    check(other.ask(server.key + "/")[0] == 404, "the key of another server opens this one")
    check(other.end() == 0 and server.end() == 0, "exit codes")
    for arguments, message in ((["a.h5", "--port", "9000"], "--port requires --serve"), (["a.h5", "--serve", "-o", "x.html"], "--output excludes --serve"),
                               (["none.h5", "--serve"], "none.h5: no such file"), (["a.toml", "--serve"], "a.toml: ")):
        refused = run(talus, folder, "view", *arguments)
        check(refused.returncode == 2 and message in refused.stderr, f"{arguments}: {refused.stderr!r}")


SCENE = """dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.04, save_every = 2 }
[material.stone]
density = 2500
friction = 0.5
[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "stone"
position = [0, 0.101]
"""


def main():
    talus = sys.argv[1]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="talus-serve-") as folder:
        with open(os.path.join(folder, "a.toml"), "w") as file:
            file.write(SCENE)
        done = run(talus, folder, "run", "a.toml", "--quiet")
        check(done.returncode == 0, done.stderr)
        for test in (test_answers, test_hostile, test_loopback):
            try:
                test(talus, folder)
                print(f"pass {test.__name__[5:]}", flush=True)
            except Exception as error:  # noqa: BLE001
                print(f"FAIL {test.__name__[5:]}: {error!r}", flush=True)
                failed += 1
            finally:
                for process in Server.started:
                    process.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
