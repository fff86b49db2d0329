// Force each state, and assert on what was sent: svc mock --control -- java examples/languages/States.java
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

class States {
  static final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  static HttpResponse<String> call(String base, String token, String method, String path, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(System.getenv(base) + path))
        .header("authorization", "Bearer " + System.getenv(token)).header("content-type", "application/json");
    return http.send(request.method(method, BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  static HttpResponse<String> annotation(String method, String path, String body) throws Exception {
    return call("SVC_BASE_URL", "SVC_API_KEY", method, path, body);
  }

  static HttpResponse<String> workspace(String method, String path, String body) throws Exception {
    return call("SVC_PUBLIC_BASE_URL", "SVC_API_KEY", method, path, body);
  }

  static HttpResponse<String> control(String method, String path, String body) throws Exception {
    return call("SVC_CONTROL_URL", "SVC_CONTROL_TOKEN", method, path, body);
  }

  static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  public static void main(String[] args) throws Exception {
    control("PUT", "/world", """
        { "faults": ["projects.list: limited; ms=60000", "health: status; code=503", "projects.create: lost"],
          "annotators": [{ "id": "structural", "outcome": "poor" }] }""");
    check(workspace("GET", "/projects", "").statusCode() == 429, "429 in the full window");
    control("POST", "/clock", "{ \"advanceMs\": 60001 }");
    check(workspace("GET", "/projects", "").statusCode() == 200, "200 in the next window");
    check(annotation("GET", "/health", "").statusCode() == 503, "503");
    try {
      check(workspace("POST", "/projects", "{ \"name\": \"Lost\" }") == null, "a lost answer");
    } catch (IOException lost) {}
    var annotated = annotation("POST", "/v1/annotations", "{ \"annotator\": \"structural\", \"transcript\": [] }");
    check(annotated.body().contains("\"outcome\":\"poor\""), "the chosen outcome");
    var sent = control("GET", "/requests?operation=projects.create", "").body();
    check(sent.contains("\"body\":{\"name\":\"Lost\"}"), "the body that was sent");
    System.out.println("passed");
  }
}
