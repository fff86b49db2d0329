"""Tests of Python code against `svc mock`: svc mock --control -- python3 -m pytest examples/runners/test_mock.py"""

import os

import pytest
import requests


@pytest.fixture
def mock():
    """A session with the key, on a server that is reset to its first state."""
    token = {"authorization": "Bearer " + os.environ["SVC_CONTROL_TOKEN"]}
    requests.post(os.environ["SVC_CONTROL_URL"] + "/reset", headers=token).raise_for_status()
    with requests.Session() as session:
        session.headers["authorization"] = "Bearer " + os.environ["SVC_API_KEY"]
        session.projects = os.environ["SVC_PUBLIC_BASE_URL"] + "/projects"
        session.control = lambda call, body: requests.post(
            os.environ["SVC_CONTROL_URL"] + "/" + call, headers=token, json=body
        ).raise_for_status()
        yield session


def test_stores_a_project(mock):
    created = mock.post(mock.projects, json={"name": "Support"})
    assert created.status_code == 201
    assert mock.get(mock.projects + "/" + created.json()["data"]["id"]).json()["data"]["name"] == "Support"


def test_names_the_wait_after_429(mock):
    mock.control("faults", {"fault": "projects.list: limited; ms=2000"})
    refused = mock.get(mock.projects)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "2")
    mock.control("clock", {"advanceMs": 2001})
    assert mock.get(mock.projects).status_code == 200


def test_stores_a_write_whose_answer_is_lost(mock):
    mock.control("faults", {"fault": "projects.create: lost; times=1"})
    with pytest.raises(requests.ConnectionError):
        mock.post(mock.projects, json={"name": "Lost"})
    assert "Lost" in [project["name"] for project in mock.get(mock.projects).json()["data"]]
