"""A day with svc mock: start it, seed it, assert an upload of 200 kB, see it in the page, stop it."""

import json
import os
import subprocess
import tempfile
import time
from urllib.request import Request, urlopen


def send(url, token, body=None):
    headers = {"authorization": "Bearer " + token, "content-type": "application/json"}
    with urlopen(Request(url, None if body is None else json.dumps(body).encode(), headers)) as answer:
        return json.loads(answer.read())


# Start.
ready = os.path.join(tempfile.mkdtemp(), "svc.json")
command = ["svc", "mock", "--json", "--control", "--ready-file", ready]
mock = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
try:
    while not os.path.exists(ready):
        assert mock.poll() is None, "svc mock has ended"
        time.sleep(0.1)
    with open(ready) as file:
        svc = json.load(file)
    control, token = svc["SVC_CONTROL_URL"], svc["SVC_CONTROL_TOKEN"]

    # Seed: a project with a transcript.
    seed = {"name": "Support", "transcripts": [{"name": "Order 6", "turns": [{"role": "user", "content": "Hi"}]}]}
    project = send(control + "/projects", token, seed)

    # The code under test uploads.
    turns = [{"role": "user", "content": "x" * 200_000}]
    upload = "{}/projects/{}/transcripts".format(svc["SVC_PUBLIC_BASE_URL"], project["id"])
    send(upload, svc["SVC_API_KEY"], {"name": "Order 7", "turns": turns})

    # Assert what it sent, and that the interface has nothing against it.
    [sent] = send(control + "/requests?operation=transcripts.upload", token)
    assert (sent["status"], sent["body"]) == (201, {"name": "Order 7", "turns": turns})
    assert sent["bodyBytes"] > 200_000 and "problems" not in sent

    # See it in the page.
    print(control + "/#token=" + token, flush=True)
    try:
        input()
    except EOFError:
        pass
finally:
    # Stop.
    mock.terminate()
    mock.wait()
