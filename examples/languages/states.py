"""Force each state, and assert on what was sent: svc mock --control -- python3 examples/languages/states.py"""

import json
import os
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def call(base, token, method, path, body=None):
    headers = {"authorization": "Bearer " + os.environ[token], "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(os.environ[base] + path, data, headers, method=method)) as answer:
            return answer.status, json.loads(answer.read() or "null")
    except HTTPError as refused:
        return refused.code, None
    except OSError:
        return "lost", None


def annotation(*request):
    return call("SVC_BASE_URL", "SVC_API_KEY", *request)


def workspace(*request):
    return call("SVC_PUBLIC_BASE_URL", "SVC_API_KEY", *request)


def control(*request):
    return call("SVC_CONTROL_URL", "SVC_CONTROL_TOKEN", *request)


faults = ["projects.list: limited; ms=60000", "health: status; code=503", "projects.create: lost"]
control("PUT", "/world", {"faults": faults, "annotators": [{"id": "structural", "outcome": "poor"}]})
assert workspace("GET", "/projects")[0] == 429
control("POST", "/clock", {"advanceMs": 60001})
assert workspace("GET", "/projects")[0] == 200
assert annotation("GET", "/health")[0] == 503
assert workspace("POST", "/projects", {"name": "Lost"})[0] == "lost"
status, answer = annotation("POST", "/v1/annotations", {"annotator": "structural", "transcript": []})
assert answer["outcome"] == "poor"
status, sent = control("GET", "/requests?operation=projects.create")
assert sent[-1]["body"] == {"name": "Lost"}
print("passed")
