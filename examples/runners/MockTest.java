// Tests of Java code: java MockTest.java. In JUnit, open the service in @BeforeAll and close it in @AfterAll.
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class MockTest {
  /** `svc mock`, with its SVC_* variables. */
  record Service(Process process, Map<String, String> variables) implements AutoCloseable {
    static Service open() throws IOException {
      var process = new ProcessBuilder("svc", "mock", "--control", "--json")
          .redirectError(ProcessBuilder.Redirect.INHERIT).start();
      // One line, written before the first request is answered; none if the server cannot start.
      var line = process.inputReader().readLine();
      if (line == null) throw new IOException("svc mock did not start.");
      return new Service(process, Pattern.compile("\"(SVC_\\w+)\":\"([^\"]*)\"").matcher(line).results()
          .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2))));
    }

    HttpResponse<String> call(String method, String base, String path, String token, String body) throws Exception {
      var request = HttpRequest.newBuilder(URI.create(variables.get(base) + path))
          .header("authorization", "Bearer " + variables.get(token)).header("content-type", "application/json");
      return HttpClient.newHttpClient().send(
          request.method(method, BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> workspace(String method, String path, String body) throws Exception {
      return call(method, "SVC_PUBLIC_BASE_URL", path, "SVC_API_KEY", body);
    }

    void control(String path, String body) throws Exception {
      var answer = call("POST", "SVC_CONTROL_URL", path, "SVC_CONTROL_TOKEN", body);
      check(answer.statusCode() < 300, path + ": " + answer.body());
    }

    @Override
    public void close() {
      process.destroy();
    }
  }

  static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  static void storesAProject(Service service) throws Exception {
    service.control("/reset", "");
    check(service.workspace("POST", "/projects", "{\"name\":\"Support\"}").statusCode() == 201, "201");
  }

  static void namesTheWaitAfter429(Service service) throws Exception {
    service.control("/reset", "");
    service.control("/faults", "{\"fault\":\"projects.list: limited; ms=2000\"}");
    var refused = service.workspace("GET", "/projects", "");
    check(refused.statusCode() == 429, "429");
    check(refused.headers().firstValue("retry-after").orElse("").equals("2"), "2 seconds");
    service.control("/clock", "{\"advanceMs\":2001}");
    check(service.workspace("GET", "/projects", "").statusCode() == 200, "200");
  }

  public static void main(String[] args) throws Exception {
    try (var service = Service.open()) {
      storesAProject(service);
      namesTheWaitAfter429(service);
    }
    System.out.println("passed");
  }
}
