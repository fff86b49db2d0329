"""Tests of Python code. The fixture starts `svc mock`, so that an editor can run each test: python3 -m pytest"""

import json
import shutil
import subprocess

import pytest
import requests


@pytest.fixture(scope="session")
def service():
    """The SVC_* variables of a server that runs as long as the tests."""
    command = [shutil.which("svc") or "svc", "mock", "--control", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            # One line, written before the first request is answered; none if the server cannot start.
            yield json.loads(server.stdout.readline() or "null")
        finally:
            server.terminate()


@pytest.fixture
def mock(service):
    """A session with the key, on a server in its first state."""
    token = {"authorization": "Bearer " + service["SVC_CONTROL_TOKEN"]}

    def control(call, body=None):
        requests.post(service["SVC_CONTROL_URL"] + call, headers=token, json=body).raise_for_status()

    control("/reset")
    with requests.Session() as session:
        session.headers["authorization"] = "Bearer " + service["SVC_API_KEY"]
        session.projects = service["SVC_PUBLIC_BASE_URL"] + "/projects"
        session.control = control
        yield session


def test_stores_a_project(mock):
    created = mock.post(mock.projects, json={"name": "Support"})
    assert created.status_code == 201
    assert mock.get(mock.projects + "/" + created.json()["data"]["id"]).json()["data"]["name"] == "Support"


def test_names_the_wait_after_429(mock):
    mock.control("/faults", {"fault": "projects.list: limited; ms=2000"})
    refused = mock.get(mock.projects)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "2")
    mock.control("/clock", {"advanceMs": 2001})
    assert mock.get(mock.projects).status_code == 200


def test_stores_a_write_whose_answer_is_lost(mock):
    mock.control("/faults", {"fault": "projects.create: lost; times=1"})
    with pytest.raises(requests.ConnectionError):
        mock.post(mock.projects, json={"name": "Lost"})
    assert "Lost" in [project["name"] for project in mock.get(mock.projects).json()["data"]]
