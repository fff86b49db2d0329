// Tests of Go code. TestMain starts `svc mock`, so that an editor can run each test: go test
package mock_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The SVC_* variables of the server.
var service map[string]string

func TestMain(m *testing.M) {
	os.Exit(withService(m.Run))
}

func withService(run func() int) int {
	server := exec.Command("svc", "mock", "--control", "--json")
	server.Stderr = os.Stderr
	output, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		panic(err)
	}
	defer func() {
		// Windows has no interrupts for other processes.
		if server.Process.Signal(os.Interrupt) != nil {
			server.Process.Kill()
		}
		server.Wait()
	}()
	// One line, written before the first request is answered; none if the server cannot start.
	if err := json.NewDecoder(output).Decode(&service); err != nil {
		panic(err)
	}
	return run()
}

func call(t *testing.T, method, base, path, token, body string) *http.Response {
	t.Helper()
	request, err := http.NewRequest(method, service[base]+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+service[token])
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

func workspace(t *testing.T, method, path, body string) *http.Response {
	t.Helper()
	return call(t, method, "SVC_PUBLIC_BASE_URL", path, "SVC_API_KEY", body)
}

func control(t *testing.T, path, body string) {
	t.Helper()
	if response := call(t, "POST", "SVC_CONTROL_URL", path, "SVC_CONTROL_TOKEN", body); response.StatusCode >= 300 {
		t.Fatalf("%s: %s", path, response.Status)
	}
}

func TestStoresAProject(t *testing.T) {
	control(t, "/reset", "")
	if response := workspace(t, "POST", "/projects", `{"name":"Support"}`); response.StatusCode != 201 {
		t.Fatalf("expected 201, got %s", response.Status)
	}
}

func TestNamesTheWaitAfter429(t *testing.T) {
	control(t, "/reset", "")
	control(t, "/faults", `{"fault":"projects.list: limited; ms=2000"}`)
	response := workspace(t, "GET", "/projects", "")
	if wait := response.Header.Get("Retry-After"); response.StatusCode != 429 || wait != "2" {
		t.Fatalf("expected 429 and 2 seconds, got %s and %q", response.Status, wait)
	}
	control(t, "/clock", `{"advanceMs":2001}`)
	if response := workspace(t, "GET", "/projects", ""); response.StatusCode != 200 {
		t.Fatalf("expected 200, got %s", response.Status)
	}
}
