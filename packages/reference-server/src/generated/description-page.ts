/** Generated from spec/annotation.openapi.yaml and spec/workspace.openapi.yaml by `pnpm generate`; never edited. */
export const ownServer = ""
export const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-mmcRoedZWo3Os2L4UQnDY5nF88aSQPF4xdeTPZU+his='; base-uri 'none'; form-action 'none'">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Transcript Service</title>
<style>:root {color-scheme: light dark;--ink: light-dark(#1c1e21, #dfe2e6);--soft: light-dark(#5a6068, #a2a9b3);--paper: light-dark(#ffffff, #16181b);--shade: light-dark(#f3f4f6, #212429);--line: light-dark(#d9dce1, #363b42);--link: light-dark(#0b57a4, #7db7f5);}* {box-sizing: border-box;}html {scroll-padding-top: 1rem;}body {margin: 0;color: var(--ink);background: var(--paper);font:1rem / 1.55 system-ui,sans-serif;overflow-wrap: break-word;}a {color: var(--link);}header,main {max-width: 56rem;padding: 1rem 1.25rem;}nav {padding: 1rem 1.25rem;background: var(--shade);font-size: 0.875rem;}nav ul {margin: 0;padding: 0;list-style: none;}nav > ul > li {margin-bottom: 0.75rem;font-weight: 600;}nav ul ul {columns: 9rem;font-weight: 400;}nav a {display: inline-block;padding: 0.125rem 0;text-decoration: none;}nav a:hover {text-decoration: underline;}.skip {position: absolute;left: -99rem;}.skip:focus {left: 0.5rem;top: 0.5rem;padding: 0.5rem 0.75rem;background: var(--paper);}h1,h2,h3,h4 {line-height: 1.25;margin: 2rem 0 0.5rem;}h1 {margin-top: 0.5rem;font-size: 1.9rem;}h2 {margin-top: 3rem;padding-bottom: 0.25rem;border-bottom: 2px solid var(--line);font-size: 1.5rem;}h3 {font-size: 1.2rem;}h4 {padding-top: 1.25rem;border-top: 1px solid var(--line);font-size: 1.05rem;}h5 {margin: 1.25rem 0 0.25rem;color: var(--soft);font-size: 0.9rem;}p {margin: 0.5rem 0;}code,pre {font-family: ui-monospace, monospace;font-size: 0.875em;}code {padding: 0.1em 0.3em;border-radius: 3px;background: var(--shade);overflow-wrap: anywhere;}pre {padding: 0.75rem 1rem;border-radius: 4px;background: var(--shade);line-height: 1.4;white-space: pre-wrap;}pre code {padding: 0;}table {width: 100%;margin: 0.5rem 0 1rem;border-collapse: collapse;font-size: 0.925rem;}th,td {padding: 0.35rem 0.75rem 0.35rem 0;border-bottom: 1px solid var(--line);min-width: 7.5rem;text-align: left;vertical-align: top;}th:first-child,td:first-child {min-width: 3.5rem;}em {color: var(--soft);}th {color: var(--soft);font-weight: 600;}@media (max-width: 63.99rem) {/* The schemas are many, and each is linked where it is used. */nav > ul > li:last-child ul {display: none;}table {font-size: 0.875rem;}td {overflow-wrap: anywhere;}}@media (max-width: 24rem) {th,td {min-width: 6rem;}}@media (min-width: 64rem) {body {display: grid;grid-template: auto 1fr / 17rem minmax(0, 1fr);}nav {grid-area: 1 / 1 / 3;position: sticky;top: 0;height: 100vh;overflow-y: auto;}nav ul ul {columns: auto;padding-left: 0.75rem;}header,main {grid-column: 2;padding: 1.5rem 2.5rem 0;}main {padding: 0 2.5rem 6rem;}td:first-child {white-space: nowrap;}}@media print {nav {display: none;}}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<h1>Transcript Service</h1>
<p>Both surfaces of the transcript service: annotation and workspace.</p>
<p>The same in one document for programs: <a href="openapi.json">openapi.json</a>, <a href="openapi.yaml">openapi.yaml</a>.</p>
</header>
<nav aria-label="Contents">
<ul>
<li><a href="#annotation">Transcript Annotation Service (surface A)</a><ul>
<li><a href="#annotation-keys">Keys</a></li>
<li><a href="#annotations.create">annotations.create</a></li>
<li><a href="#annotators.list">annotators.list</a></li>
<li><a href="#batches.create">batches.create</a></li>
<li><a href="#batches.get">batches.get</a></li>
<li><a href="#health">health</a></li>
<li><a href="#annotation-errors">Errors</a></li>
</ul>
</li>
<li><a href="#workspace">Transcript Workspace Service (surface B)</a><ul>
<li><a href="#workspace-keys">Keys</a></li>
<li><a href="#projects.create">projects.create</a></li>
<li><a href="#projects.list">projects.list</a></li>
<li><a href="#projects.get">projects.get</a></li>
<li><a href="#transcripts.upload">transcripts.upload</a></li>
<li><a href="#transcripts.list">transcripts.list</a></li>
<li><a href="#transcripts.get">transcripts.get</a></li>
<li><a href="#legacy.createSession">legacy.createSession</a></li>
<li><a href="#legacy.createTranscript">legacy.createTranscript</a></li>
<li><a href="#workspace-errors">Errors</a></li>
</ul>
</li>
<li><a href="#schemas">Schemas</a><ul>
<li><a href="#schema-TranscriptMessage">TranscriptMessage</a></li>
<li><a href="#schema-AnnotationRequest">AnnotationRequest</a></li>
<li><a href="#schema-AnnotationResponse">AnnotationResponse</a></li>
<li><a href="#schema-Outcome">Outcome</a></li>
<li><a href="#schema-AnnotationSummary">AnnotationSummary</a></li>
<li><a href="#schema-SignalHit">SignalHit</a></li>
<li><a href="#schema-UsageInfo">UsageInfo</a></li>
<li><a href="#schema-AnnotatorInfo">AnnotatorInfo</a></li>
<li><a href="#schema-AnnotatorListResponse">AnnotatorListResponse</a></li>
<li><a href="#schema-HealthResponse">HealthResponse</a></li>
<li><a href="#schema-ErrorResponse">ErrorResponse</a></li>
<li><a href="#schema-HTTPValidationError">HTTPValidationError</a></li>
<li><a href="#schema-ValidationError">ValidationError</a></li>
<li><a href="#schema-Unspecified">Unspecified</a></li>
<li><a href="#schema-ProjectCreate">ProjectCreate</a></li>
<li><a href="#schema-Project">Project</a></li>
<li><a href="#schema-ProjectDetail">ProjectDetail</a></li>
<li><a href="#schema-Turn">Turn</a></li>
<li><a href="#schema-ToolCall">ToolCall</a></li>
<li><a href="#schema-ToolResult">ToolResult</a></li>
<li><a href="#schema-TranscriptUpload">TranscriptUpload</a></li>
<li><a href="#schema-Transcript">Transcript</a></li>
<li><a href="#schema-ProcessingStatus">ProcessingStatus</a></li>
<li><a href="#schema-TranscriptRow">TranscriptRow</a></li>
<li><a href="#schema-TranscriptDetail">TranscriptDetail</a></li>
<li><a href="#schema-Pagination">Pagination</a></li>
<li><a href="#schema-ProcessingTime">ProcessingTime</a></li>
<li><a href="#schema-ProjectResponse">ProjectResponse</a></li>
<li><a href="#schema-ProjectDetailResponse">ProjectDetailResponse</a></li>
<li><a href="#schema-ProjectListResponse">ProjectListResponse</a></li>
<li><a href="#schema-TranscriptResponse">TranscriptResponse</a></li>
<li><a href="#schema-TranscriptListResponse">TranscriptListResponse</a></li>
<li><a href="#schema-TranscriptDetailResponse">TranscriptDetailResponse</a></li>
<li><a href="#schema-AuthenticationError">AuthenticationError</a></li>
<li><a href="#schema-AuthorizationError">AuthorizationError</a></li>
<li><a href="#schema-InvalidRequestError">InvalidRequestError</a></li>
<li><a href="#schema-RateLimitError">RateLimitError</a></li>
<li><a href="#schema-NotFoundError">NotFoundError</a></li>
<li><a href="#schema-OpenObject">OpenObject</a></li>
</ul>
</li>
</ul>
</nav>
<main id="content">
<h2 id="annotation">Transcript Annotation Service (surface A)</h2>
<p>Annotates one conversation transcript per request, synchronously, with a named and versioned annotator.</p>
<p>Base URL: <code>%BASE_URL%</code>, version 0.1.0.</p>
<p>Clients name an annotator from the public registry, never a model or a provider. The same interface is served
from two compute substrates; <code>/health</code> says which one answers. Batch endpoints are declared in version 1 and
answer 501 (design reference RFC 000055). Operations stand under the path prefix <code>/v1</code>, <code>/health</code> without it.</p>
<p>What the interface does not show is left open here and listed in <code>spec/README.md</code>. It shows no events, no
deprecation policy and no version negotiation.</p>
<h3 id="annotation-keys">Keys</h3>
<p>An API key, sent as <code>Authorization: Bearer &lt;API_KEY&gt;</code>; every endpoint needs one except <code>/health</code> and the
interface description. Format and issuance of this surface&#39;s keys, and whether a key of surface B is accepted
here, are not shown.</p>
<h3 id="tag-annotations">annotations</h3>
<p>Annotate a transcript.</p>
<h4 id="annotations.create">Annotate one transcript</h4>
<p><strong>POST</strong> <code>/v1/annotations</code></p>
<p>Operation <code>annotations.create</code>, key needed.</p>
<p>Synchronous; the annotation is in the 200 response: a structured summary, an overall outcome, fired quality
signals, version identifiers and usage accounting. Request time-outs are not shown.</p>
<h5>Request body</h5>
<p>JSON: <a href="#schema-AnnotationRequest">AnnotationRequest</a>, required.</p>
<p>Example: A conversation that ends with a question.</p>
<pre><code class="language-json">{
  &quot;annotator&quot;: &quot;structural&quot;,
  &quot;transcript&quot;: [
    {
      &quot;role&quot;: &quot;user&quot;,
      &quot;content&quot;: &quot;Where is order 7?&quot;
    },
    {
      &quot;role&quot;: &quot;assistant&quot;,
      &quot;content&quot;: &quot;I will look.&quot;
    },
    {
      &quot;role&quot;: &quot;user&quot;,
      &quot;content&quot;: &quot;Have you found it?&quot;
    }
  ]
}
</code></pre>
<p>Example: With a message that the user has not seen.</p>
<pre><code class="language-json">{
  &quot;annotator&quot;: &quot;patterns&quot;,
  &quot;transcript&quot;: [
    {
      &quot;role&quot;: &quot;system&quot;,
      &quot;content&quot;: &quot;Answer in one sentence.&quot;,
      &quot;is_user_visible&quot;: false
    },
    {
      &quot;role&quot;: &quot;user&quot;,
      &quot;content&quot;: &quot;Where is order 7?&quot;
    },
    {
      &quot;role&quot;: &quot;assistant&quot;,
      &quot;content&quot;: &quot;It is on its way.&quot;
    }
  ]
}
</code></pre>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>200</code></td>
<td><a href="#schema-AnnotationResponse">AnnotationResponse</a></td>
<td>The annotation.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthorized">Unauthorized</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Revoked or disabled key. See <a href="#answer-AnnotationForbidden">AnnotationForbidden</a>.</td>
</tr>
<tr>
<td><code>404</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Declared; its causes are not shown. See <a href="#answer-AnnotationNotFound">AnnotationNotFound</a>.</td>
</tr>
<tr>
<td><code>422</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>The request cannot be processed. See <a href="#answer-Unprocessable">Unprocessable</a>.</td>
</tr>
<tr>
<td><code>429</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>The per-key rate limit is exceeded (a fixed window; its length and count are not shown), or the global provider capacity is saturated. See <a href="#answer-AnnotationTooManyRequests">AnnotationTooManyRequests</a>.</td>
</tr>
<tr>
<td><code>502</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Declared; its causes are not shown. See <a href="#answer-BadGateway">BadGateway</a>.</td>
</tr>
<tr>
<td><code>503</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Declared; its causes are not shown. See <a href="#answer-Unavailable">Unavailable</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>200</code>: A signal fired at a turn.</p>
<pre><code class="language-json">{
  &quot;summary&quot;: {
    &quot;title&quot;: &quot;Where is order 7?&quot;,
    &quot;keywords&quot;: [
      &quot;order&quot;,
      &quot;found&quot;,
      &quot;look&quot;
    ],
    &quot;summary&quot;: &quot;3 turns: 2 of the user, 1 replies, 0 of tools. It begins: Where is order 7?&quot;,
    &quot;quality_concerns&quot;: &quot;unanswered_user_turn&quot;,
    &quot;user_intent&quot;: &quot;Where is order 7?&quot;,
    &quot;domain&quot;: &quot;general&quot;
  },
  &quot;outcome&quot;: &quot;poor&quot;,
  &quot;outcome_notes&quot;: &quot;Fired: unanswered_user_turn.&quot;,
  &quot;signals&quot;: {
    &quot;unanswered_user_turn&quot;: {
      &quot;evidence&quot;: &quot;Have you found it?&quot;,
      &quot;turn&quot;: 3
    }
  },
  &quot;annotator&quot;: &quot;structural&quot;,
  &quot;annotator_version&quot;: &quot;1.0.0&quot;,
  &quot;taxonomy_version&quot;: &quot;1.0.0&quot;,
  &quot;usage&quot;: {
    &quot;tokens_in&quot;: 13,
    &quot;tokens_out&quot;: 101,
    &quot;latency_ms&quot;: 3
  }
}
</code></pre>
<p>Example of <code>200</code>: No signal fired.</p>
<pre><code class="language-json">{
  &quot;summary&quot;: {
    &quot;title&quot;: &quot;Where is order 7?&quot;,
    &quot;keywords&quot;: [
      &quot;order&quot;,
      &quot;way&quot;
    ],
    &quot;summary&quot;: &quot;3 turns: 1 of the user, 1 replies, 0 of tools. It begins: Where is order 7?&quot;,
    &quot;quality_concerns&quot;: &quot;none&quot;,
    &quot;user_intent&quot;: &quot;Where is order 7?&quot;,
    &quot;domain&quot;: &quot;general&quot;
  },
  &quot;outcome&quot;: &quot;strong&quot;,
  &quot;outcome_notes&quot;: &quot;No signal counts against this transcript.&quot;,
  &quot;signals&quot;: {},
  &quot;annotator&quot;: &quot;patterns&quot;,
  &quot;annotator_version&quot;: &quot;1.0.0&quot;,
  &quot;taxonomy_version&quot;: &quot;1.0.0&quot;,
  &quot;usage&quot;: {
    &quot;tokens_in&quot;: 16,
    &quot;tokens_out&quot;: 82,
    &quot;latency_ms&quot;: 7
  }
}
</code></pre>
<h3 id="tag-annotators">annotators</h3>
<p>The public registry of annotators. The versions of each are in its listing and in every annotation.</p>
<h4 id="annotators.list">List the available annotators</h4>
<p><strong>GET</strong> <code>/v1/annotators</code></p>
<p>Operation <code>annotators.list</code>, key optional.</p>
<p>Described as public, while Authentication exempts only <code>/health</code> and the interface description: the key is
optional here, and an answer of 401 or 403 is declared.</p>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>200</code></td>
<td><a href="#schema-AnnotatorListResponse">AnnotatorListResponse</a></td>
<td>The public registry.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthorized">Unauthorized</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Revoked or disabled key. See <a href="#answer-AnnotationForbidden">AnnotationForbidden</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>200</code>: A registry of two annotators.</p>
<pre><code class="language-json">{
  &quot;annotators&quot;: [
    {
      &quot;id&quot;: &quot;structural&quot;,
      &quot;annotator_version&quot;: &quot;1.0.0&quot;,
      &quot;taxonomy_version&quot;: &quot;1.0.0&quot;,
      &quot;description&quot;: &quot;Reads the shape of the conversation.&quot;
    },
    {
      &quot;id&quot;: &quot;patterns&quot;,
      &quot;annotator_version&quot;: &quot;1.0.0&quot;,
      &quot;taxonomy_version&quot;: &quot;1.0.0&quot;,
      &quot;description&quot;: &quot;Reads the words of user and assistant.&quot;
    }
  ]
}
</code></pre>
<h3 id="tag-batches">batches</h3>
<p>In version 1 they exist only as declarations.</p>
<h4 id="batches.create">Declared in version 1; answers 501</h4>
<p><strong>POST</strong> <code>/v1/batches</code></p>
<p>Operation <code>batches.create</code>, key needed.</p>
<p>Request and response bodies beyond the 501 envelope are not shown.</p>
<h5>Request body</h5>
<p>JSON: <a href="#schema-Unspecified">Unspecified</a>, optional.</p>
<p>Not shown in the interface.</p>
<p>Example: Any body is answered with 501.</p>
<pre><code class="language-json">{}
</code></pre>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>401</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthorized">Unauthorized</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Revoked or disabled key. See <a href="#answer-AnnotationForbidden">AnnotationForbidden</a>.</td>
</tr>
<tr>
<td><code>501</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Batches are not implemented in version 1. See <a href="#answer-NotImplemented">NotImplemented</a>.</td>
</tr>
</tbody></table>
<h4 id="batches.get">Declared in version 1; answers 501</h4>
<p><strong>GET</strong> <code>/v1/batches/{batch_id}</code></p>
<p>Operation <code>batches.get</code>, key needed.</p>
<p>Response bodies beyond the 501 envelope are not shown.</p>
<h5>Parameters</h5>
<table>
<thead>
<tr>
<th>Parameter</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>batch_id</code> in path, <em>required</em></td>
<td>string</td>
<td>Id of the batch. Example: <code>batch_1</code></td>
</tr>
</tbody></table>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>401</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthorized">Unauthorized</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Revoked or disabled key. See <a href="#answer-AnnotationForbidden">AnnotationForbidden</a>.</td>
</tr>
<tr>
<td><code>422</code></td>
<td><a href="#schema-HTTPValidationError">HTTPValidationError</a></td>
<td>The path parameter is invalid; what makes it so is not shown.</td>
</tr>
<tr>
<td><code>501</code></td>
<td><a href="#schema-ErrorResponse">ErrorResponse</a></td>
<td>Batches are not implemented in version 1. See <a href="#answer-NotImplemented">NotImplemented</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>422</code>: The id of the batch is too long.</p>
<pre><code class="language-json">{
  &quot;detail&quot;: [
    {
      &quot;loc&quot;: [
        &quot;path&quot;,
        &quot;batch_id&quot;
      ],
      &quot;msg&quot;: &quot;String should have at most 255 characters&quot;,
      &quot;type&quot;: &quot;string_too_long&quot;
    }
  ]
}
</code></pre>
<h3 id="tag-health">health</h3>
<p>Liveness.</p>
<h4 id="health">Report liveness and the serving substrate</h4>
<p><strong>GET</strong> <code>/health</code></p>
<p>Operation <code>health</code>, no key.</p>
<p>Needs no key.</p>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>200</code></td>
<td><a href="#schema-HealthResponse">HealthResponse</a></td>
<td>The service is alive.</td>
</tr>
</tbody></table>
<p>Example of <code>200</code>: The service is alive.</p>
<pre><code class="language-json">{
  &quot;status&quot;: &quot;ok&quot;,
  &quot;substrate&quot;: &quot;fargate&quot;
}
</code></pre>
<h3 id="annotation-errors">Errors</h3>
<h4 id="answer-Unauthorized">Unauthorized</h4>
<p>Missing or invalid key.</p>
<p>Body: <a href="#schema-ErrorResponse">ErrorResponse</a>.</p>
<p>Example: The key is missing or unknown.</p>
<pre><code class="language-json">{
  &quot;error&quot;: &quot;unauthorized&quot;,
  &quot;detail&quot;: &quot;A valid API key is required.&quot;
}
</code></pre>
<h4 id="answer-AnnotationForbidden">AnnotationForbidden</h4>
<p>Revoked or disabled key.</p>
<p>Body: <a href="#schema-ErrorResponse">ErrorResponse</a>.</p>
<p>Example: The key is revoked.</p>
<pre><code class="language-json">{
  &quot;error&quot;: &quot;forbidden&quot;,
  &quot;detail&quot;: &quot;This API key has been revoked.&quot;
}
</code></pre>
<h4 id="answer-AnnotationNotFound">AnnotationNotFound</h4>
<p>Declared; its causes are not shown.</p>
<p>Body: <a href="#schema-ErrorResponse">ErrorResponse</a>.</p>
<p>Example: No annotator has this id.</p>
<pre><code class="language-json">{
  &quot;error&quot;: &quot;not_found&quot;,
  &quot;detail&quot;: &quot;There is no annotator \\&quot;nope\\&quot;.&quot;
}
</code></pre>
<h4 id="answer-Unprocessable">Unprocessable</h4>
<p>The request cannot be processed.</p>
<p>Body: <a href="#schema-ErrorResponse">ErrorResponse</a>.</p>
<p>Example: A field is not of its type.</p>
<pre><code class="language-json">{
  &quot;error&quot;: &quot;unprocessable&quot;,
  &quot;detail&quot;: &quot;transcript: expected an array of messages&quot;
}
</code></pre>
<h4 id="answer-AnnotationTooManyRequests">AnnotationTooManyRequests</h4>
<p>The per-key rate limit is exceeded (a fixed window; its length and count are not shown), or the global provider
capacity is saturated.</p>
<p>Body: <a href="#schema-ErrorResponse">ErrorResponse</a>.</p>
<p>Header <code>Retry-After</code>: string. When to come back, in seconds or as an HTTP date (RFC 9110).</p>
<p>Example: The rate limit of the key is used up.</p>
<pre><code class="language-json">{
  &quot;error&quot;: &quot;rate_limited&quot;,
  &quot;detail&quot;: &quot;The rate limit of this key is used up.&quot;
}
</code></pre>
<h4 id="answer-BadGateway">BadGateway</h4>
<p>Declared; its causes are not shown.</p>
<p>Body: <a href="#schema-ErrorResponse">ErrorResponse</a>.</p>
<p>Example: The provider did not answer.</p>
<pre><code class="language-json">{
  &quot;error&quot;: &quot;bad_gateway&quot;,
  &quot;detail&quot;: &quot;The provider did not answer.&quot;
}
</code></pre>
<h4 id="answer-Unavailable">Unavailable</h4>
<p>Declared; its causes are not shown.</p>
<p>Body: <a href="#schema-ErrorResponse">ErrorResponse</a>.</p>
<p>Example: The service is not available.</p>
<pre><code class="language-json">{
  &quot;error&quot;: &quot;unavailable&quot;,
  &quot;detail&quot;: &quot;The service is not available.&quot;
}
</code></pre>
<h4 id="answer-NotImplemented">NotImplemented</h4>
<p>Batches are not implemented in version 1.</p>
<p>Body: <a href="#schema-ErrorResponse">ErrorResponse</a>.</p>
<p>Example: Batches are declared only.</p>
<pre><code class="language-json">{
  &quot;error&quot;: &quot;not_implemented&quot;,
  &quot;detail&quot;: &quot;Batches are not implemented in version 1.&quot;
}
</code></pre>
<h2 id="workspace">Transcript Workspace Service (surface B)</h2>
<p>Keeps projects and transcripts of a workspace.</p>
<p>Base URL: <code>%WORKSPACE_SERVER%%WORKSPACE_PREFIX%</code>, version 1.</p>
<p>Projects and transcripts belong to a workspace, not to a personal account; a key sees only the resources of its own
workspace. Every success body is <code>{ data, processing_time_ms }</code>; lists add <code>pagination</code>.</p>
<p>What the interface does not show is left open here and listed in <code>spec/README.md</code>. It shows no events, no
deprecation policy and no version negotiation.</p>
<h3 id="workspace-keys">Keys</h3>
<p>Every request carries <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Keys are created by a workspace user in the dashboard
under the API key settings; the full key is shown once at creation. A key can be revoked (reversible) or deleted
permanently; its last-used time is visible. It belongs to a workspace and reaches only that workspace&#39;s projects
and transcripts.</p>
<p>New keys begin with <code>sk-service-api03-</code>; keys issued under an earlier product name (<code>sk-legacy-api03-</code>) remain
valid without rotation. JWT-style tokens (beginning <code>ey</code>) are not supported on most endpoints. Whether a key of
surface A is accepted here is not shown.</p>
<p>Permissions are chosen at key creation and stand at each operation as <code>x-permission</code>: <code>projects-read</code> lists and
reads projects and transcripts, <code>projects-write</code> creates projects and uploads transcripts. A legacy key may hold
<code>halfpipe-transcripts-write</code> instead of <code>projects-write</code>. A key created with no permission restriction has full
access.</p>
<h3 id="tag-projects">projects</h3>
<p>Containers of transcripts, scoped to one workspace.</p>
<h4 id="projects.create">Create a project</h4>
<p><strong>POST</strong> <code>%WORKSPACE_PREFIX%/projects</code></p>
<p>Operation <code>projects.create</code>, key needed, permission <code>projects-write</code>.</p>
<p>The project belongs to the workspace of the key and is empty.</p>
<h5>Request body</h5>
<p>JSON: <a href="#schema-ProjectCreate">ProjectCreate</a>, required.</p>
<p>Example: A project of customer support.</p>
<pre><code class="language-json">{
  &quot;name&quot;: &quot;Support&quot;,
  &quot;domain&quot;: &quot;general&quot;
}
</code></pre>
<p>Example: A project of coding agents.</p>
<pre><code class="language-json">{
  &quot;name&quot;: &quot;Coding agent&quot;,
  &quot;domain&quot;: &quot;ai_coding&quot;
}
</code></pre>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>201</code></td>
<td><a href="#schema-ProjectResponse">ProjectResponse</a></td>
<td>The new project.</td>
</tr>
<tr>
<td><code>400</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form. See <a href="#answer-InvalidRequest">InvalidRequest</a>.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-AuthenticationError">AuthenticationError</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthenticated">Unauthenticated</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-AuthorizationError">AuthorizationError</a></td>
<td>The key is valid but lacks the permission, or the resource belongs to another workspace. See <a href="#answer-WorkspaceForbidden">WorkspaceForbidden</a>.</td>
</tr>
<tr>
<td><code>413</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>A turn exceeds 1 MB, or the total payload exceeds the body limit. See <a href="#answer-TooLarge">TooLarge</a>.</td>
</tr>
<tr>
<td><code>429</code></td>
<td><a href="#schema-RateLimitError">RateLimitError</a></td>
<td>May occur; rate-limit details of this surface are unpublished, and so is the body. See <a href="#answer-WorkspaceTooManyRequests">WorkspaceTooManyRequests</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>201</code>: A project without transcripts.</p>
<pre><code class="language-json">{
  &quot;data&quot;: {
    &quot;id&quot;: &quot;hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10&quot;,
    &quot;name&quot;: &quot;Support&quot;,
    &quot;transcript_count&quot;: 0,
    &quot;latest_transcript_at&quot;: null,
    &quot;created_at&quot;: &quot;2026-05-04T09:00:00Z&quot;,
    &quot;updated_at&quot;: &quot;2026-05-04T09:00:00Z&quot;
  },
  &quot;processing_time_ms&quot;: 3
}
</code></pre>
<h4 id="projects.list">List the projects of the workspace</h4>
<p><strong>GET</strong> <code>%WORKSPACE_PREFIX%/projects</code></p>
<p>Operation <code>projects.list</code>, key needed, permission <code>projects-read</code>.</p>
<p>One page of all projects; their order is not shown.</p>
<h5>Parameters</h5>
<table>
<thead>
<tr>
<th>Parameter</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>page</code> in query</td>
<td>number, at least 1, default <code>1</code></td>
<td>1-indexed page number.</td>
</tr>
<tr>
<td><code>limit</code> in query</td>
<td>number, 1 to 100, default <code>20</code></td>
<td>Page size.</td>
</tr>
</tbody></table>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>200</code></td>
<td><a href="#schema-ProjectListResponse">ProjectListResponse</a></td>
<td>One page of projects.</td>
</tr>
<tr>
<td><code>400</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form. See <a href="#answer-InvalidRequest">InvalidRequest</a>.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-AuthenticationError">AuthenticationError</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthenticated">Unauthenticated</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-AuthorizationError">AuthorizationError</a></td>
<td>The key is valid but lacks the permission, or the resource belongs to another workspace. See <a href="#answer-WorkspaceForbidden">WorkspaceForbidden</a>.</td>
</tr>
<tr>
<td><code>429</code></td>
<td><a href="#schema-RateLimitError">RateLimitError</a></td>
<td>May occur; rate-limit details of this surface are unpublished, and so is the body. See <a href="#answer-WorkspaceTooManyRequests">WorkspaceTooManyRequests</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>200</code>: A page of one project.</p>
<pre><code class="language-json">{
  &quot;data&quot;: [
    {
      &quot;id&quot;: &quot;hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10&quot;,
      &quot;name&quot;: &quot;Support&quot;,
      &quot;transcript_count&quot;: 42,
      &quot;latest_transcript_at&quot;: &quot;2026-05-04T10:00:00Z&quot;,
      &quot;created_at&quot;: &quot;2026-05-04T09:00:00Z&quot;,
      &quot;updated_at&quot;: &quot;2026-05-04T09:00:00Z&quot;
    }
  ],
  &quot;pagination&quot;: {
    &quot;page&quot;: 1,
    &quot;limit&quot;: 20,
    &quot;total&quot;: 1
  },
  &quot;processing_time_ms&quot;: 3
}
</code></pre>
<p>Example of <code>200</code>: No project yet.</p>
<pre><code class="language-json">{
  &quot;data&quot;: [],
  &quot;pagination&quot;: {
    &quot;page&quot;: 1,
    &quot;limit&quot;: 20,
    &quot;total&quot;: 0
  },
  &quot;processing_time_ms&quot;: 2
}
</code></pre>
<h4 id="projects.get">Get one project, with the executive summary of its latest completed report when there is one</h4>
<p><strong>GET</strong> <code>%WORKSPACE_PREFIX%/projects/{projectId}</code></p>
<p>Operation <code>projects.get</code>, key needed, permission <code>projects-read</code>.</p>
<p>Name and shape of the executive summary are not shown.</p>
<h5>Parameters</h5>
<table>
<thead>
<tr>
<th>Parameter</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>projectId</code> in path, <em>required</em></td>
<td>string, pattern <code>^hp-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$</code></td>
<td>Has the form <code>hp-&lt;uuid&gt;</code>; the project must belong to the key&#39;s workspace. Example: <code>hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10</code></td>
</tr>
</tbody></table>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>200</code></td>
<td><a href="#schema-ProjectDetailResponse">ProjectDetailResponse</a></td>
<td>The project. Name and shape of the executive summary are not shown, so the record is open.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-AuthenticationError">AuthenticationError</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthenticated">Unauthenticated</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-AuthorizationError">AuthorizationError</a></td>
<td>The key is valid but lacks the permission, or the resource belongs to another workspace. See <a href="#answer-WorkspaceForbidden">WorkspaceForbidden</a>.</td>
</tr>
<tr>
<td><code>404</code></td>
<td><a href="#schema-NotFoundError">NotFoundError</a></td>
<td>The id is unknown or, on reads, belongs to another workspace. See <a href="#answer-WorkspaceNotFound">WorkspaceNotFound</a>.</td>
</tr>
<tr>
<td><code>429</code></td>
<td><a href="#schema-RateLimitError">RateLimitError</a></td>
<td>May occur; rate-limit details of this surface are unpublished, and so is the body. See <a href="#answer-WorkspaceTooManyRequests">WorkspaceTooManyRequests</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>200</code>: A project with transcripts.</p>
<pre><code class="language-json">{
  &quot;data&quot;: {
    &quot;id&quot;: &quot;hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10&quot;,
    &quot;name&quot;: &quot;Support&quot;,
    &quot;transcript_count&quot;: 42,
    &quot;latest_transcript_at&quot;: &quot;2026-05-04T10:00:00Z&quot;,
    &quot;created_at&quot;: &quot;2026-05-04T09:00:00Z&quot;,
    &quot;updated_at&quot;: &quot;2026-05-04T09:00:00Z&quot;
  },
  &quot;processing_time_ms&quot;: 3
}
</code></pre>
<h3 id="tag-transcripts">transcripts</h3>
<p>Uploaded conversation transcripts.</p>
<h4 id="transcripts.upload">Upload a transcript</h4>
<p><strong>POST</strong> <code>%WORKSPACE_PREFIX%/projects/{projectId}/transcripts</code></p>
<p>Operation <code>transcripts.upload</code>, key needed, permission <code>projects-write</code>.</p>
<p>The transcript is stored also when its annotation job cannot be submitted (<code>processing_status</code> is then <code>error</code>).</p>
<h5>Parameters</h5>
<table>
<thead>
<tr>
<th>Parameter</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>projectId</code> in path, <em>required</em></td>
<td>string, pattern <code>^hp-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$</code></td>
<td>Has the form <code>hp-&lt;uuid&gt;</code>; the project must belong to the key&#39;s workspace. Example: <code>hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10</code></td>
</tr>
</tbody></table>
<h5>Request body</h5>
<p>JSON: <a href="#schema-TranscriptUpload">TranscriptUpload</a>, required.</p>
<p>Approximately 5 MB in total; larger bodies are answered with 413. Bulk loads go through the dashboard, outside
this interface: up to 500 MB per file.</p>
<p>Example: The required fields.</p>
<pre><code class="language-json">{
  &quot;name&quot;: &quot;Refund of order 7&quot;,
  &quot;turns&quot;: [
    {
      &quot;role&quot;: &quot;user&quot;,
      &quot;content&quot;: &quot;Where is my refund?&quot;
    },
    {
      &quot;role&quot;: &quot;assistant&quot;,
      &quot;content&quot;: &quot;On its way.&quot;
    }
  ]
}
</code></pre>
<p>Example: Every field, with a tool call.</p>
<pre><code class="language-json">{
  &quot;name&quot;: &quot;Refund of order 7&quot;,
  &quot;turns&quot;: [
    {
      &quot;role&quot;: &quot;user&quot;,
      &quot;content&quot;: &quot;Where is my refund?&quot;,
      &quot;createdAt&quot;: &quot;2026-05-04T09:12:00Z&quot;
    },
    {
      &quot;role&quot;: &quot;assistant&quot;,
      &quot;content&quot;: &quot;&quot;,
      &quot;toolCalls&quot;: [
        {
          &quot;name&quot;: &quot;find_refund&quot;,
          &quot;args&quot;: {
            &quot;order&quot;: 7
          }
        }
      ]
    },
    {
      &quot;role&quot;: &quot;tool&quot;,
      &quot;content&quot;: &quot;sent&quot;,
      &quot;toolResults&quot;: [
        {
          &quot;name&quot;: &quot;find_refund&quot;,
          &quot;result&quot;: {
            &quot;state&quot;: &quot;sent&quot;
          }
        }
      ]
    },
    {
      &quot;role&quot;: &quot;human_agent&quot;,
      &quot;content&quot;: &quot;On its way.&quot;
    }
  ],
  &quot;modelName&quot;: &quot;assistant-1&quot;,
  &quot;language&quot;: &quot;en&quot;,
  &quot;sourceSystem&quot;: &quot;help-desk&quot;,
  &quot;externalId&quot;: &quot;ticket-7&quot;,
  &quot;externalUserId&quot;: &quot;customer-9&quot;,
  &quot;metadata&quot;: {
    &quot;team&quot;: &quot;billing&quot;
  },
  &quot;sourceTimestamp&quot;: &quot;2026-05-04T09:12:00Z&quot;,
  &quot;process&quot;: true
}
</code></pre>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>201</code></td>
<td><a href="#schema-TranscriptResponse">TranscriptResponse</a></td>
<td>The stored transcript.</td>
</tr>
<tr>
<td><code>400</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form. See <a href="#answer-InvalidRequest">InvalidRequest</a>.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-AuthenticationError">AuthenticationError</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthenticated">Unauthenticated</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-AuthorizationError">AuthorizationError</a></td>
<td>The key is valid but lacks the permission, or the resource belongs to another workspace. See <a href="#answer-WorkspaceForbidden">WorkspaceForbidden</a>.</td>
</tr>
<tr>
<td><code>404</code></td>
<td><a href="#schema-NotFoundError">NotFoundError</a></td>
<td>The id is unknown or, on reads, belongs to another workspace. See <a href="#answer-WorkspaceNotFound">WorkspaceNotFound</a>.</td>
</tr>
<tr>
<td><code>413</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>A turn exceeds 1 MB, or the total payload exceeds the body limit. See <a href="#answer-TooLarge">TooLarge</a>.</td>
</tr>
<tr>
<td><code>429</code></td>
<td><a href="#schema-RateLimitError">RateLimitError</a></td>
<td>May occur; rate-limit details of this surface are unpublished, and so is the body. See <a href="#answer-WorkspaceTooManyRequests">WorkspaceTooManyRequests</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>201</code>: Stored, and sent to annotation.</p>
<pre><code class="language-json">{
  &quot;data&quot;: {
    &quot;id&quot;: &quot;tr_01&quot;,
    &quot;name&quot;: &quot;Refund of order 7&quot;,
    &quot;model_name&quot;: null,
    &quot;language&quot;: &quot;en&quot;,
    &quot;source_system&quot;: &quot;help-desk&quot;,
    &quot;external_id&quot;: &quot;ticket-7&quot;,
    &quot;external_user_id&quot;: null,
    &quot;metadata&quot;: {
      &quot;team&quot;: &quot;billing&quot;
    },
    &quot;turn_count&quot;: 2,
    &quot;user_turn_count&quot;: 1,
    &quot;assistant_turn_count&quot;: 1,
    &quot;total_token_count&quot;: 9,
    &quot;source_timestamp&quot;: &quot;2026-05-04T09:12:00Z&quot;,
    &quot;created_at&quot;: &quot;2026-05-04T10:00:00Z&quot;,
    &quot;processing_status&quot;: &quot;queued&quot;
  },
  &quot;processing_time_ms&quot;: 12
}
</code></pre>
<p>Example of <code>201</code>: Stored, but its annotation job could not be submitted.</p>
<pre><code class="language-json">{
  &quot;data&quot;: {
    &quot;id&quot;: &quot;tr_01&quot;,
    &quot;name&quot;: &quot;Refund of order 7&quot;,
    &quot;model_name&quot;: null,
    &quot;language&quot;: &quot;en&quot;,
    &quot;source_system&quot;: &quot;help-desk&quot;,
    &quot;external_id&quot;: &quot;ticket-7&quot;,
    &quot;external_user_id&quot;: null,
    &quot;metadata&quot;: {
      &quot;team&quot;: &quot;billing&quot;
    },
    &quot;turn_count&quot;: 2,
    &quot;user_turn_count&quot;: 1,
    &quot;assistant_turn_count&quot;: 1,
    &quot;total_token_count&quot;: 9,
    &quot;source_timestamp&quot;: &quot;2026-05-04T09:12:00Z&quot;,
    &quot;created_at&quot;: &quot;2026-05-04T10:00:00Z&quot;,
    &quot;processing_status&quot;: &quot;error&quot;
  },
  &quot;processing_time_ms&quot;: 12
}
</code></pre>
<h4 id="transcripts.list">List the transcripts of a project</h4>
<p><strong>GET</strong> <code>%WORKSPACE_PREFIX%/projects/{projectId}/transcripts</code></p>
<p>Operation <code>transcripts.list</code>, key needed, permission <code>projects-read</code>.</p>
<p>One page of the transcripts that match every filter given; their order is not shown.</p>
<h5>Parameters</h5>
<table>
<thead>
<tr>
<th>Parameter</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>projectId</code> in path, <em>required</em></td>
<td>string, pattern <code>^hp-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$</code></td>
<td>Has the form <code>hp-&lt;uuid&gt;</code>; the project must belong to the key&#39;s workspace. Example: <code>hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10</code></td>
</tr>
<tr>
<td><code>page</code> in query</td>
<td>number, at least 1, default <code>1</code></td>
<td>1-indexed page number.</td>
</tr>
<tr>
<td><code>limit</code> in query</td>
<td>number, 1 to 100, default <code>20</code></td>
<td>Page size.</td>
</tr>
<tr>
<td><code>q</code> in query</td>
<td>string</td>
<td>Full-text search across transcript content.</td>
</tr>
<tr>
<td><code>model_name</code> in query</td>
<td>string</td>
<td>Filter by model name.</td>
</tr>
<tr>
<td><code>language</code> in query</td>
<td>string</td>
<td>Filter by language code.</td>
</tr>
<tr>
<td><code>source_system</code> in query</td>
<td>string</td>
<td>Filter by source system.</td>
</tr>
<tr>
<td><code>annotation</code> in query</td>
<td>string</td>
<td>Filter by annotation, formatted <code>key:value</code>.</td>
</tr>
<tr>
<td><code>date_from</code> in query</td>
<td>string</td>
<td>Inclusive lower bound on <code>source_timestamp</code>, ISO 8601.</td>
</tr>
<tr>
<td><code>date_to</code> in query</td>
<td>string</td>
<td>Inclusive upper bound on <code>source_timestamp</code>, ISO 8601.</td>
</tr>
</tbody></table>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>200</code></td>
<td><a href="#schema-TranscriptListResponse">TranscriptListResponse</a></td>
<td>One page of transcripts. The response body of this list is not shown; rows are open records.</td>
</tr>
<tr>
<td><code>400</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form. See <a href="#answer-InvalidRequest">InvalidRequest</a>.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-AuthenticationError">AuthenticationError</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthenticated">Unauthenticated</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-AuthorizationError">AuthorizationError</a></td>
<td>The key is valid but lacks the permission, or the resource belongs to another workspace. See <a href="#answer-WorkspaceForbidden">WorkspaceForbidden</a>.</td>
</tr>
<tr>
<td><code>404</code></td>
<td><a href="#schema-NotFoundError">NotFoundError</a></td>
<td>The id is unknown or, on reads, belongs to another workspace. See <a href="#answer-WorkspaceNotFound">WorkspaceNotFound</a>.</td>
</tr>
<tr>
<td><code>429</code></td>
<td><a href="#schema-RateLimitError">RateLimitError</a></td>
<td>May occur; rate-limit details of this surface are unpublished, and so is the body. See <a href="#answer-WorkspaceTooManyRequests">WorkspaceTooManyRequests</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>200</code>: A page of one transcript; a reading, because the rows are not shown.</p>
<pre><code class="language-json">{
  &quot;data&quot;: [
    {
      &quot;id&quot;: &quot;tr_01&quot;,
      &quot;name&quot;: &quot;Refund of order 7&quot;,
      &quot;model_name&quot;: null,
      &quot;language&quot;: &quot;en&quot;,
      &quot;source_system&quot;: &quot;help-desk&quot;,
      &quot;external_id&quot;: &quot;ticket-7&quot;,
      &quot;external_user_id&quot;: null,
      &quot;metadata&quot;: {
        &quot;team&quot;: &quot;billing&quot;
      },
      &quot;turn_count&quot;: 2,
      &quot;user_turn_count&quot;: 1,
      &quot;assistant_turn_count&quot;: 1,
      &quot;total_token_count&quot;: 9,
      &quot;source_timestamp&quot;: &quot;2026-05-04T09:12:00Z&quot;,
      &quot;created_at&quot;: &quot;2026-05-04T10:00:00Z&quot;,
      &quot;processing_status&quot;: &quot;queued&quot;
    }
  ],
  &quot;pagination&quot;: {
    &quot;page&quot;: 1,
    &quot;limit&quot;: 20,
    &quot;total&quot;: 1
  },
  &quot;processing_time_ms&quot;: 4
}
</code></pre>
<p>Example of <code>200</code>: No transcript matches the filters.</p>
<pre><code class="language-json">{
  &quot;data&quot;: [],
  &quot;pagination&quot;: {
    &quot;page&quot;: 1,
    &quot;limit&quot;: 20,
    &quot;total&quot;: 0
  },
  &quot;processing_time_ms&quot;: 2
}
</code></pre>
<h4 id="transcripts.get">Get one transcript with all its turns and annotations</h4>
<p><strong>GET</strong> <code>%WORKSPACE_PREFIX%/transcripts/{transcriptId}</code></p>
<p>Operation <code>transcripts.get</code>, key needed, permission <code>projects-read</code>.</p>
<p>Names and shapes of turns and annotations are not shown.</p>
<h5>Parameters</h5>
<table>
<thead>
<tr>
<th>Parameter</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>transcriptId</code> in path, <em>required</em></td>
<td>string</td>
<td>Identifier of the transcript; begins with <code>tr_</code>. Example: <code>tr_01</code></td>
</tr>
</tbody></table>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>200</code></td>
<td><a href="#schema-TranscriptDetailResponse">TranscriptDetailResponse</a></td>
<td>The transcript. The field list of this record is not shown, so it is open.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-AuthenticationError">AuthenticationError</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthenticated">Unauthenticated</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-AuthorizationError">AuthorizationError</a></td>
<td>The key is valid but lacks the permission, or the resource belongs to another workspace. See <a href="#answer-WorkspaceForbidden">WorkspaceForbidden</a>.</td>
</tr>
<tr>
<td><code>404</code></td>
<td><a href="#schema-NotFoundError">NotFoundError</a></td>
<td>The id is unknown or, on reads, belongs to another workspace. See <a href="#answer-WorkspaceNotFound">WorkspaceNotFound</a>.</td>
</tr>
<tr>
<td><code>429</code></td>
<td><a href="#schema-RateLimitError">RateLimitError</a></td>
<td>May occur; rate-limit details of this surface are unpublished, and so is the body. See <a href="#answer-WorkspaceTooManyRequests">WorkspaceTooManyRequests</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>200</code>: With its turns; a reading, because the record is not shown.</p>
<pre><code class="language-json">{
  &quot;data&quot;: {
    &quot;id&quot;: &quot;tr_01&quot;,
    &quot;name&quot;: &quot;Refund of order 7&quot;,
    &quot;model_name&quot;: null,
    &quot;language&quot;: &quot;en&quot;,
    &quot;source_system&quot;: &quot;help-desk&quot;,
    &quot;external_id&quot;: &quot;ticket-7&quot;,
    &quot;external_user_id&quot;: null,
    &quot;metadata&quot;: {
      &quot;team&quot;: &quot;billing&quot;
    },
    &quot;turn_count&quot;: 2,
    &quot;user_turn_count&quot;: 1,
    &quot;assistant_turn_count&quot;: 1,
    &quot;total_token_count&quot;: 9,
    &quot;source_timestamp&quot;: &quot;2026-05-04T09:12:00Z&quot;,
    &quot;created_at&quot;: &quot;2026-05-04T10:00:00Z&quot;,
    &quot;processing_status&quot;: &quot;queued&quot;,
    &quot;turns&quot;: [
      {
        &quot;role&quot;: &quot;user&quot;,
        &quot;content&quot;: &quot;Where is my refund?&quot;
      },
      {
        &quot;role&quot;: &quot;assistant&quot;,
        &quot;content&quot;: &quot;On its way.&quot;
      }
    ],
    &quot;annotations&quot;: {}
  },
  &quot;processing_time_ms&quot;: 5
}
</code></pre>
<h3 id="tag-legacy">legacy</h3>
<p>Legacy routes; their response shape changed in 2026-05, their path is unchanged.</p>
<h4 id="legacy.createSession">Legacy route; the same response as POST /projects</h4>
<p><strong>POST</strong> <code>%WORKSPACE_PREFIX%/halfpipe/sessions</code></p>
<p>Operation <code>legacy.createSession</code>, key needed, permission <code>projects-write</code>. <strong>Deprecated.</strong></p>
<p>Deprecated in favour of the route that it names.</p>
<h5>Request body</h5>
<p>JSON: <a href="#schema-OpenObject">OpenObject</a>, required.</p>
<p>The request body of this route is not shown.</p>
<p>Example: A reading; the body of POST /projects.</p>
<pre><code class="language-json">{
  &quot;name&quot;: &quot;Support&quot;
}
</code></pre>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>201</code></td>
<td><a href="#schema-ProjectResponse">ProjectResponse</a></td>
<td>The same response shape as POST /projects: snake_case fields, no <code>success</code> flag, no <code>workspaceId</code> field.</td>
</tr>
<tr>
<td><code>400</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form. See <a href="#answer-InvalidRequest">InvalidRequest</a>.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-AuthenticationError">AuthenticationError</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthenticated">Unauthenticated</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-AuthorizationError">AuthorizationError</a></td>
<td>The key is valid but lacks the permission, or the resource belongs to another workspace. See <a href="#answer-WorkspaceForbidden">WorkspaceForbidden</a>.</td>
</tr>
<tr>
<td><code>413</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>A turn exceeds 1 MB, or the total payload exceeds the body limit. See <a href="#answer-TooLarge">TooLarge</a>.</td>
</tr>
<tr>
<td><code>429</code></td>
<td><a href="#schema-RateLimitError">RateLimitError</a></td>
<td>May occur; rate-limit details of this surface are unpublished, and so is the body. See <a href="#answer-WorkspaceTooManyRequests">WorkspaceTooManyRequests</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>201</code>: A project without transcripts.</p>
<pre><code class="language-json">{
  &quot;data&quot;: {
    &quot;id&quot;: &quot;hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10&quot;,
    &quot;name&quot;: &quot;Support&quot;,
    &quot;transcript_count&quot;: 0,
    &quot;latest_transcript_at&quot;: null,
    &quot;created_at&quot;: &quot;2026-05-04T09:00:00Z&quot;,
    &quot;updated_at&quot;: &quot;2026-05-04T09:00:00Z&quot;
  },
  &quot;processing_time_ms&quot;: 3
}
</code></pre>
<h4 id="legacy.createTranscript">Legacy route; the same response as POST /projects/{projectId}/transcripts</h4>
<p><strong>POST</strong> <code>%WORKSPACE_PREFIX%/halfpipe/transcripts</code></p>
<p>Operation <code>legacy.createTranscript</code>, key needed, permission <code>projects-write</code>. <strong>Deprecated.</strong></p>
<p>Deprecated in favour of the route that it names.</p>
<h5>Request body</h5>
<p>JSON: <a href="#schema-OpenObject">OpenObject</a>, required.</p>
<p>The request body of this route is not shown.</p>
<p>Example: A reading; the body of an upload, with the id of its project.</p>
<pre><code class="language-json">{
  &quot;projectId&quot;: &quot;hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10&quot;,
  &quot;name&quot;: &quot;Refund of order 7&quot;,
  &quot;turns&quot;: [
    {
      &quot;role&quot;: &quot;user&quot;,
      &quot;content&quot;: &quot;Where is my refund?&quot;
    }
  ]
}
</code></pre>
<h5>Answers</h5>
<table>
<thead>
<tr>
<th>Status</th>
<th>Body</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>201</code></td>
<td><a href="#schema-TranscriptResponse">TranscriptResponse</a></td>
<td>The same response shape as POST /projects/{projectId}/transcripts: snake_case fields, no <code>success</code> flag, no <code>workspaceId</code> field.</td>
</tr>
<tr>
<td><code>400</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form. See <a href="#answer-InvalidRequest">InvalidRequest</a>.</td>
</tr>
<tr>
<td><code>401</code></td>
<td><a href="#schema-AuthenticationError">AuthenticationError</a></td>
<td>Missing or invalid key. See <a href="#answer-Unauthenticated">Unauthenticated</a>.</td>
</tr>
<tr>
<td><code>403</code></td>
<td><a href="#schema-AuthorizationError">AuthorizationError</a></td>
<td>The key is valid but lacks the permission, or the resource belongs to another workspace. See <a href="#answer-WorkspaceForbidden">WorkspaceForbidden</a>.</td>
</tr>
<tr>
<td><code>404</code></td>
<td><a href="#schema-NotFoundError">NotFoundError</a></td>
<td>The id is unknown or, on reads, belongs to another workspace. See <a href="#answer-WorkspaceNotFound">WorkspaceNotFound</a>.</td>
</tr>
<tr>
<td><code>413</code></td>
<td><a href="#schema-InvalidRequestError">InvalidRequestError</a></td>
<td>A turn exceeds 1 MB, or the total payload exceeds the body limit. See <a href="#answer-TooLarge">TooLarge</a>.</td>
</tr>
<tr>
<td><code>429</code></td>
<td><a href="#schema-RateLimitError">RateLimitError</a></td>
<td>May occur; rate-limit details of this surface are unpublished, and so is the body. See <a href="#answer-WorkspaceTooManyRequests">WorkspaceTooManyRequests</a>.</td>
</tr>
</tbody></table>
<p>Example of <code>201</code>: Stored, and sent to annotation.</p>
<pre><code class="language-json">{
  &quot;data&quot;: {
    &quot;id&quot;: &quot;tr_01&quot;,
    &quot;name&quot;: &quot;Refund of order 7&quot;,
    &quot;model_name&quot;: null,
    &quot;language&quot;: &quot;en&quot;,
    &quot;source_system&quot;: &quot;help-desk&quot;,
    &quot;external_id&quot;: &quot;ticket-7&quot;,
    &quot;external_user_id&quot;: null,
    &quot;metadata&quot;: {
      &quot;team&quot;: &quot;billing&quot;
    },
    &quot;turn_count&quot;: 2,
    &quot;user_turn_count&quot;: 1,
    &quot;assistant_turn_count&quot;: 1,
    &quot;total_token_count&quot;: 9,
    &quot;source_timestamp&quot;: &quot;2026-05-04T09:12:00Z&quot;,
    &quot;created_at&quot;: &quot;2026-05-04T10:00:00Z&quot;,
    &quot;processing_status&quot;: &quot;queued&quot;
  },
  &quot;processing_time_ms&quot;: 12
}
</code></pre>
<p>Example of <code>201</code>: Stored, but its annotation job could not be submitted.</p>
<pre><code class="language-json">{
  &quot;data&quot;: {
    &quot;id&quot;: &quot;tr_01&quot;,
    &quot;name&quot;: &quot;Refund of order 7&quot;,
    &quot;model_name&quot;: null,
    &quot;language&quot;: &quot;en&quot;,
    &quot;source_system&quot;: &quot;help-desk&quot;,
    &quot;external_id&quot;: &quot;ticket-7&quot;,
    &quot;external_user_id&quot;: null,
    &quot;metadata&quot;: {
      &quot;team&quot;: &quot;billing&quot;
    },
    &quot;turn_count&quot;: 2,
    &quot;user_turn_count&quot;: 1,
    &quot;assistant_turn_count&quot;: 1,
    &quot;total_token_count&quot;: 9,
    &quot;source_timestamp&quot;: &quot;2026-05-04T09:12:00Z&quot;,
    &quot;created_at&quot;: &quot;2026-05-04T10:00:00Z&quot;,
    &quot;processing_status&quot;: &quot;error&quot;
  },
  &quot;processing_time_ms&quot;: 12
}
</code></pre>
<h3 id="workspace-errors">Errors</h3>
<h4 id="answer-InvalidRequest">InvalidRequest</h4>
<p>The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form.</p>
<p>Body: <a href="#schema-InvalidRequestError">InvalidRequestError</a>.</p>
<p>Example: A field is out of bounds.</p>
<pre><code class="language-json">{
  &quot;error&quot;: {
    &quot;message&quot;: &quot;name: expected 1 to 500 characters&quot;,
    &quot;type&quot;: &quot;invalid_request_error&quot;,
    &quot;code&quot;: 400
  }
}
</code></pre>
<h4 id="answer-Unauthenticated">Unauthenticated</h4>
<p>Missing or invalid key.</p>
<p>Body: <a href="#schema-AuthenticationError">AuthenticationError</a>.</p>
<p>Example: The key is missing or unknown.</p>
<pre><code class="language-json">{
  &quot;error&quot;: {
    &quot;message&quot;: &quot;A valid API key is required.&quot;,
    &quot;type&quot;: &quot;authentication_error&quot;,
    &quot;code&quot;: 401
  }
}
</code></pre>
<h4 id="answer-WorkspaceForbidden">WorkspaceForbidden</h4>
<p>The key is valid but lacks the permission, or the resource belongs to another workspace.</p>
<p>Body: <a href="#schema-AuthorizationError">AuthorizationError</a>.</p>
<p>Example: The key lacks the permission.</p>
<pre><code class="language-json">{
  &quot;error&quot;: {
    &quot;message&quot;: &quot;This key lacks projects-write.&quot;,
    &quot;type&quot;: &quot;authorization_error&quot;,
    &quot;code&quot;: 403
  }
}
</code></pre>
<h4 id="answer-TooLarge">TooLarge</h4>
<p>A turn exceeds 1 MB, or the total payload exceeds the body limit.</p>
<p>Body: <a href="#schema-InvalidRequestError">InvalidRequestError</a>.</p>
<p>Example: The body is larger than the limit.</p>
<pre><code class="language-json">{
  &quot;error&quot;: {
    &quot;message&quot;: &quot;The request body exceeds 5242880 bytes.&quot;,
    &quot;type&quot;: &quot;invalid_request_error&quot;,
    &quot;code&quot;: 413
  }
}
</code></pre>
<h4 id="answer-WorkspaceTooManyRequests">WorkspaceTooManyRequests</h4>
<p>May occur; rate-limit details of this surface are unpublished, and so is the body.</p>
<p>Body: <a href="#schema-RateLimitError">RateLimitError</a>.</p>
<p>Header <code>Retry-After</code>, optional: string. When to come back, in seconds or as an HTTP date (RFC 9110). The interface does not promise it on this surface.</p>
<p>Example: A reading, because the body is not shown.</p>
<pre><code class="language-json">{
  &quot;error&quot;: {
    &quot;message&quot;: &quot;Too many requests.&quot;,
    &quot;type&quot;: &quot;rate_limit_error&quot;,
    &quot;code&quot;: 429
  }
}
</code></pre>
<h4 id="answer-WorkspaceNotFound">WorkspaceNotFound</h4>
<p>The id is unknown or, on reads, belongs to another workspace.</p>
<p>Body: <a href="#schema-NotFoundError">NotFoundError</a>.</p>
<p>Example: No project has this id.</p>
<pre><code class="language-json">{
  &quot;error&quot;: {
    &quot;message&quot;: &quot;There is no such project.&quot;,
    &quot;type&quot;: &quot;not_found_error&quot;,
    &quot;code&quot;: 404
  }
}
</code></pre>
<h2 id="schemas">Schemas</h2>
<h3 id="schema-TranscriptMessage">TranscriptMessage</h3>
<p>One message of the transcript.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>role</code> <em>required</em></td>
<td>string</td>
<td>The speaker, in any words; no enumeration is given.</td>
</tr>
<tr>
<td><code>content</code> <em>required</em></td>
<td>string</td>
<td>The text of the message.</td>
</tr>
<tr>
<td><code>is_user_visible</code></td>
<td>boolean, default <code>true</code></td>
<td>The user has seen the message.</td>
</tr>
</tbody></table>
<h3 id="schema-AnnotationRequest">AnnotationRequest</h3>
<p>A transcript to annotate. Size bounds (message count, content length) are not shown.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>transcript</code> <em>required</em></td>
<td>array of <a href="#schema-TranscriptMessage">TranscriptMessage</a></td>
<td>The messages in their order.</td>
</tr>
<tr>
<td><code>annotator</code> <em>required</em></td>
<td>string</td>
<td>Id of an annotator of the registry.</td>
</tr>
<tr>
<td><code>options</code></td>
<td>object, open</td>
<td>Settings of this request; their names and values are not shown.</td>
</tr>
</tbody></table>
<h3 id="schema-AnnotationResponse">AnnotationResponse</h3>
<p>The result of an annotation.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>summary</code> <em>required</em></td>
<td><a href="#schema-AnnotationSummary">AnnotationSummary</a></td>
<td>The summary of the conversation.</td>
</tr>
<tr>
<td><code>outcome</code> <em>required</em></td>
<td><a href="#schema-Outcome">Outcome</a></td>
<td>The quality of the conversation.</td>
</tr>
<tr>
<td><code>outcome_notes</code> <em>required</em></td>
<td>string</td>
<td>Notes about the outcome.</td>
</tr>
<tr>
<td><code>signals</code> <em>required</em></td>
<td>object; each value: <a href="#schema-SignalHit">SignalHit</a></td>
<td>One entry for each quality signal that fired, by its key. The set of keys is not shown.</td>
</tr>
<tr>
<td><code>annotator</code> <em>required</em></td>
<td>string</td>
<td>Id of the annotator.</td>
</tr>
<tr>
<td><code>annotator_version</code> <em>required</em></td>
<td>string</td>
<td>Version of the annotator.</td>
</tr>
<tr>
<td><code>taxonomy_version</code> <em>required</em></td>
<td>string</td>
<td>Version of its taxonomy.</td>
</tr>
<tr>
<td><code>usage</code> <em>required</em></td>
<td><a href="#schema-UsageInfo">UsageInfo</a></td>
<td>Tokens and latency of the annotation.</td>
</tr>
</tbody></table>
<h3 id="schema-Outcome">Outcome</h3>
<p>The quality of the conversation; <code>indeterminate</code> is no grade.</p>
<p>Type: <code>&quot;strong&quot;</code> or <code>&quot;mixed&quot;</code> or <code>&quot;poor&quot;</code> or <code>&quot;critical&quot;</code> or <code>&quot;indeterminate&quot;</code>.</p>
<h3 id="schema-AnnotationSummary">AnnotationSummary</h3>
<p>The summary of a conversation.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>title</code> <em>required</em></td>
<td>string</td>
<td>A title of the conversation.</td>
</tr>
<tr>
<td><code>keywords</code> <em>required</em></td>
<td>array of string</td>
<td>Its keywords.</td>
</tr>
<tr>
<td><code>summary</code> <em>required</em></td>
<td>string</td>
<td>Its content in short.</td>
</tr>
<tr>
<td><code>quality_concerns</code> <em>required</em></td>
<td>string</td>
<td>Concerns about its quality.</td>
</tr>
<tr>
<td><code>user_intent</code> <em>required</em></td>
<td>string</td>
<td>The intent of the user.</td>
</tr>
<tr>
<td><code>domain</code> <em>required</em></td>
<td>string</td>
<td>Its domain.</td>
</tr>
</tbody></table>
<h3 id="schema-SignalHit">SignalHit</h3>
<p>A quality signal that fired.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>evidence</code> <em>required</em></td>
<td>string</td>
<td>The reason why the signal fired.</td>
</tr>
<tr>
<td><code>turn</code></td>
<td>integer or null</td>
<td>1-indexed turn of the transcript; null or missing if it belongs to no turn.</td>
</tr>
</tbody></table>
<h3 id="schema-UsageInfo">UsageInfo</h3>
<p>The cost of an annotation.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>tokens_in</code> <em>required</em></td>
<td>integer</td>
<td>The number of tokens in.</td>
</tr>
<tr>
<td><code>tokens_out</code> <em>required</em></td>
<td>integer</td>
<td>The number of tokens out.</td>
</tr>
<tr>
<td><code>latency_ms</code> <em>required</em></td>
<td>integer</td>
<td>Duration in milliseconds.</td>
</tr>
</tbody></table>
<h3 id="schema-AnnotatorInfo">AnnotatorInfo</h3>
<p>An annotator of the registry.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>id</code> <em>required</em></td>
<td>string</td>
<td>The id that <code>annotator</code> of a request names.</td>
</tr>
<tr>
<td><code>annotator_version</code> <em>required</em></td>
<td>string</td>
<td>Version of the annotator.</td>
</tr>
<tr>
<td><code>taxonomy_version</code> <em>required</em></td>
<td>string</td>
<td>Version of its taxonomy.</td>
</tr>
<tr>
<td><code>description</code> <em>required</em></td>
<td>string</td>
<td>A description of the annotator.</td>
</tr>
</tbody></table>
<h3 id="schema-AnnotatorListResponse">AnnotatorListResponse</h3>
<p>The registry.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>annotators</code> <em>required</em></td>
<td>array of <a href="#schema-AnnotatorInfo">AnnotatorInfo</a></td>
<td>All annotators.</td>
</tr>
</tbody></table>
<h3 id="schema-HealthResponse">HealthResponse</h3>
<p>Liveness and serving substrate.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>status</code> <em>required</em></td>
<td>string</td>
<td>The state of the service; its values are not shown.</td>
</tr>
<tr>
<td><code>substrate</code> <em>required</em></td>
<td><code>&quot;fargate&quot;</code> or <code>&quot;lambda&quot;</code></td>
<td>The serving substrate.</td>
</tr>
</tbody></table>
<h3 id="schema-ErrorResponse">ErrorResponse</h3>
<p>The one error envelope of surface A.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>error</code> <em>required</em></td>
<td>string</td>
<td>The kind of error; its values are not shown.</td>
</tr>
<tr>
<td><code>detail</code> <em>required</em></td>
<td>string</td>
<td>A message for people.</td>
</tr>
</tbody></table>
<h3 id="schema-HTTPValidationError">HTTPValidationError</h3>
<p>Used only where a path parameter fails validation.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>detail</code></td>
<td>array of <a href="#schema-ValidationError">ValidationError</a></td>
<td>The invalid fields.</td>
</tr>
</tbody></table>
<h3 id="schema-ValidationError">ValidationError</h3>
<p>One invalid field.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>loc</code> <em>required</em></td>
<td>array of string or integer</td>
<td>The path of the field; numbers are 0-based positions.</td>
</tr>
<tr>
<td><code>msg</code> <em>required</em></td>
<td>string</td>
<td>A message for people.</td>
</tr>
<tr>
<td><code>type</code> <em>required</em></td>
<td>string</td>
<td>The kind of problem.</td>
</tr>
<tr>
<td><code>input</code></td>
<td>any JSON value</td>
<td>The value that was refused; any JSON value.</td>
</tr>
<tr>
<td><code>ctx</code></td>
<td>object, open</td>
<td>Facts about the problem.</td>
</tr>
</tbody></table>
<h3 id="schema-Unspecified">Unspecified</h3>
<p>Any JSON value; its shape is not shown in the interface.</p>
<p>Type: any JSON value.</p>
<h3 id="schema-ProjectCreate">ProjectCreate</h3>
<p>A project to create.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>name</code> <em>required</em></td>
<td>string, 1 to 500 characters</td>
<td>1 to 500 characters.</td>
</tr>
<tr>
<td><code>domain</code></td>
<td><code>&quot;general&quot;</code> or <code>&quot;ai_coding&quot;</code>, default <code>&quot;general&quot;</code></td>
<td>Domain pack that locks the analysis taxonomy.</td>
</tr>
</tbody></table>
<h3 id="schema-Project">Project</h3>
<p>A container of transcripts in one workspace.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>id</code> <em>required</em></td>
<td>string, pattern <code>^hp-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$</code></td>
<td>Has the form <code>hp-&lt;uuid&gt;</code>.</td>
</tr>
<tr>
<td><code>name</code> <em>required</em></td>
<td>string, 1 to 500 characters</td>
<td>1 to 500 characters.</td>
</tr>
<tr>
<td><code>transcript_count</code> <em>required</em></td>
<td>number</td>
<td>The number of transcripts; 0 right after creation.</td>
</tr>
<tr>
<td><code>latest_transcript_at</code> <em>required</em></td>
<td>string or null, date-time</td>
<td>Time of the most recent transcript upload, ISO 8601; null until one exists.</td>
</tr>
<tr>
<td><code>created_at</code> <em>required</em></td>
<td>string, date-time</td>
<td>Time of creation, ISO 8601.</td>
</tr>
<tr>
<td><code>updated_at</code> <em>required</em></td>
<td>string, date-time</td>
<td>Time of the last change, ISO 8601.</td>
</tr>
</tbody></table>
<h3 id="schema-ProjectDetail">ProjectDetail</h3>
<p>A project, and the executive summary under a name that is not shown.</p>
<p>Type: <a href="#schema-Project">Project</a> and <a href="#schema-OpenObject">OpenObject</a>.</p>
<h3 id="schema-Turn">Turn</h3>
<p>One turn of a conversation.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>role</code> <em>required</em></td>
<td><code>&quot;user&quot;</code> or <code>&quot;assistant&quot;</code> or <code>&quot;system&quot;</code> or <code>&quot;tool&quot;</code> or <code>&quot;human_agent&quot;</code></td>
<td>The speaker.</td>
</tr>
<tr>
<td><code>content</code> <em>required</em></td>
<td>string</td>
<td>The text of the turn, at most 1 MB.</td>
</tr>
<tr>
<td><code>toolCalls</code></td>
<td>array of <a href="#schema-ToolCall">ToolCall</a></td>
<td>Tool calls of an assistant turn.</td>
</tr>
<tr>
<td><code>toolResults</code></td>
<td>array of <a href="#schema-ToolResult">ToolResult</a></td>
<td>Tool responses.</td>
</tr>
<tr>
<td><code>metadata</code></td>
<td><a href="#schema-OpenObject">OpenObject</a></td>
<td>Any fields about the turn.</td>
</tr>
<tr>
<td><code>createdAt</code></td>
<td>string</td>
<td>Time of the turn, ISO 8601.</td>
</tr>
</tbody></table>
<h3 id="schema-ToolCall">ToolCall</h3>
<p>A call of a tool by the assistant.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>name</code> <em>required</em></td>
<td>string</td>
<td>The name of the tool.</td>
</tr>
<tr>
<td><code>args</code> <em>required</em></td>
<td><a href="#schema-Unspecified">Unspecified</a></td>
<td>The arguments of the call; any JSON value.</td>
</tr>
</tbody></table>
<h3 id="schema-ToolResult">ToolResult</h3>
<p>The response of a tool.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>name</code> <em>required</em></td>
<td>string</td>
<td>The name of the tool.</td>
</tr>
<tr>
<td><code>result</code> <em>required</em></td>
<td><a href="#schema-Unspecified">Unspecified</a></td>
<td>The response; any JSON value.</td>
</tr>
</tbody></table>
<h3 id="schema-TranscriptUpload">TranscriptUpload</h3>
<p>A transcript to upload; approximately 5 MB of JSON at most.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>name</code> <em>required</em></td>
<td>string, 1 to 500 characters</td>
<td>1 to 500 characters.</td>
</tr>
<tr>
<td><code>turns</code> <em>required</em></td>
<td>array of <a href="#schema-Turn">Turn</a>, 1 to 1000 items</td>
<td>1 to 1000 turns, in their order.</td>
</tr>
<tr>
<td><code>modelName</code></td>
<td>string, at most 100 characters</td>
<td>Name of the model that wrote the assistant turns; at most 100 characters.</td>
</tr>
<tr>
<td><code>language</code></td>
<td>string, at most 10 characters</td>
<td>Language code; at most 10 characters.</td>
</tr>
<tr>
<td><code>sourceSystem</code></td>
<td>string, at most 100 characters</td>
<td>The system that the transcript comes from; at most 100 characters.</td>
</tr>
<tr>
<td><code>externalId</code></td>
<td>string, at most 500 characters</td>
<td>Your id of the transcript, which need not be unique; at most 500 characters.</td>
</tr>
<tr>
<td><code>externalUserId</code></td>
<td>string, at most 500 characters</td>
<td>Your id of the user; at most 500 characters.</td>
</tr>
<tr>
<td><code>metadata</code></td>
<td><a href="#schema-OpenObject">OpenObject</a></td>
<td>Stored with the transcript.</td>
</tr>
<tr>
<td><code>sourceTimestamp</code></td>
<td>string</td>
<td>Time of the conversation, ISO 8601.</td>
</tr>
<tr>
<td><code>process</code></td>
<td>boolean, default <code>true</code></td>
<td>Sends the transcript through the annotation pipeline (structural annotation, model-based annotation, pattern detection) after upload; false uploads without analysis.</td>
</tr>
</tbody></table>
<h3 id="schema-Transcript">Transcript</h3>
<p>A stored transcript.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>id</code> <em>required</em></td>
<td>string, pattern <code>^tr_</code></td>
<td>Begins with <code>tr_</code>.</td>
</tr>
<tr>
<td><code>name</code> <em>required</em></td>
<td>string</td>
<td>The uploaded <code>name</code>.</td>
</tr>
<tr>
<td><code>model_name</code> <em>required</em></td>
<td>string or null</td>
<td>The uploaded <code>modelName</code>; null if there was none.</td>
</tr>
<tr>
<td><code>language</code> <em>required</em></td>
<td>string or null</td>
<td>The uploaded <code>language</code>; null if there was none.</td>
</tr>
<tr>
<td><code>source_system</code> <em>required</em></td>
<td>string or null</td>
<td>The uploaded <code>sourceSystem</code>; null if there was none.</td>
</tr>
<tr>
<td><code>external_id</code> <em>required</em></td>
<td>string or null</td>
<td>The uploaded <code>externalId</code>; null if there was none.</td>
</tr>
<tr>
<td><code>external_user_id</code> <em>required</em></td>
<td>string or null</td>
<td>The uploaded <code>externalUserId</code>; null if there was none.</td>
</tr>
<tr>
<td><code>metadata</code> <em>required</em></td>
<td><a href="#schema-OpenObject">OpenObject</a></td>
<td>The uploaded <code>metadata</code>; empty if there was none.</td>
</tr>
<tr>
<td><code>turn_count</code> <em>required</em></td>
<td>number</td>
<td>The number of turns.</td>
</tr>
<tr>
<td><code>user_turn_count</code> <em>required</em></td>
<td>number</td>
<td>The number of turns with the role <code>user</code>.</td>
</tr>
<tr>
<td><code>assistant_turn_count</code> <em>required</em></td>
<td>number</td>
<td>The number of turns with the role <code>assistant</code>.</td>
</tr>
<tr>
<td><code>total_token_count</code> <em>required</em></td>
<td>number</td>
<td>The number of tokens; how they are counted is not shown.</td>
</tr>
<tr>
<td><code>source_timestamp</code> <em>required</em></td>
<td>string or null, date-time</td>
<td>The uploaded <code>sourceTimestamp</code>, ISO 8601; null if there was none.</td>
</tr>
<tr>
<td><code>created_at</code> <em>required</em></td>
<td>string, date-time</td>
<td>Time of the upload, ISO 8601.</td>
</tr>
<tr>
<td><code>processing_status</code> <em>required</em></td>
<td><a href="#schema-ProcessingStatus">ProcessingStatus</a></td>
<td>The state after the upload.</td>
</tr>
</tbody></table>
<h3 id="schema-ProcessingStatus">ProcessingStatus</h3>
<p><code>queued</code>: <code>process</code> is true and the annotation job was submitted. <code>skipped</code>: <code>process</code> is false. <code>error</code>:
<code>process</code> is true and the job could not be submitted; the transcript is stored all the same. Later transitions
are not shown.</p>
<p>Type: <code>&quot;queued&quot;</code> or <code>&quot;skipped&quot;</code> or <code>&quot;error&quot;</code>.</p>
<h3 id="schema-TranscriptRow">TranscriptRow</h3>
<p>A row of the transcript list. Its fields are not shown: those of <code>Transcript</code> and any other may be present, and only
the identifier is relied upon.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>id</code> <em>required</em></td>
<td>string</td>
<td>Identifier of the transcript; begins with <code>tr_</code>.</td>
</tr>
<tr>
<td><code>name</code></td>
<td>string</td>
<td>The uploaded <code>name</code>.</td>
</tr>
<tr>
<td><code>model_name</code></td>
<td>string or null</td>
<td>The uploaded <code>modelName</code>; null if there was none.</td>
</tr>
<tr>
<td><code>language</code></td>
<td>string or null</td>
<td>The uploaded <code>language</code>; null if there was none.</td>
</tr>
<tr>
<td><code>source_system</code></td>
<td>string or null</td>
<td>The uploaded <code>sourceSystem</code>; null if there was none.</td>
</tr>
<tr>
<td><code>external_id</code></td>
<td>string or null</td>
<td>The uploaded <code>externalId</code>; null if there was none.</td>
</tr>
<tr>
<td><code>external_user_id</code></td>
<td>string or null</td>
<td>The uploaded <code>externalUserId</code>; null if there was none.</td>
</tr>
<tr>
<td><code>metadata</code></td>
<td>object, open</td>
<td>The uploaded <code>metadata</code>; empty if there was none.</td>
</tr>
<tr>
<td><code>turn_count</code></td>
<td>number</td>
<td>The number of turns.</td>
</tr>
<tr>
<td><code>user_turn_count</code></td>
<td>number</td>
<td>The number of turns with the role <code>user</code>.</td>
</tr>
<tr>
<td><code>assistant_turn_count</code></td>
<td>number</td>
<td>The number of turns with the role <code>assistant</code>.</td>
</tr>
<tr>
<td><code>total_token_count</code></td>
<td>number</td>
<td>The number of tokens; how they are counted is not shown.</td>
</tr>
<tr>
<td><code>source_timestamp</code></td>
<td>string or null, date-time</td>
<td>The uploaded <code>sourceTimestamp</code>, ISO 8601; null if there was none.</td>
</tr>
<tr>
<td><code>created_at</code></td>
<td>string, date-time</td>
<td>Time of the upload, ISO 8601.</td>
</tr>
<tr>
<td><code>processing_status</code></td>
<td><a href="#schema-ProcessingStatus">ProcessingStatus</a></td>
<td>The state after the upload.</td>
</tr>
</tbody></table>
<p>Other fields may stand beside these.</p>
<h3 id="schema-TranscriptDetail">TranscriptDetail</h3>
<p>A transcript with all its turns and annotations. The field list is not shown: the fields of a row, <code>turns</code>,
<code>annotations</code> and any other may be present.</p>
<p>Type: <a href="#schema-TranscriptRow">TranscriptRow</a> and object, open.</p>
<h3 id="schema-Pagination">Pagination</h3>
<p>The place of a page in its list.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>page</code> <em>required</em></td>
<td>number</td>
<td>1-indexed number of this page.</td>
</tr>
<tr>
<td><code>limit</code> <em>required</em></td>
<td>number</td>
<td>Page size.</td>
</tr>
<tr>
<td><code>total</code> <em>required</em></td>
<td>number</td>
<td>The number of items in the whole list.</td>
</tr>
</tbody></table>
<h3 id="schema-ProcessingTime">ProcessingTime</h3>
<p>Server-side processing time in milliseconds.</p>
<p>Type: number.</p>
<h3 id="schema-ProjectResponse">ProjectResponse</h3>
<p>The envelope of one record.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>data</code> <em>required</em></td>
<td><a href="#schema-Project">Project</a></td>
<td>The project.</td>
</tr>
<tr>
<td><code>processing_time_ms</code> <em>required</em></td>
<td><a href="#schema-ProcessingTime">ProcessingTime</a></td>
<td>Server-side processing time in milliseconds.</td>
</tr>
</tbody></table>
<h3 id="schema-ProjectDetailResponse">ProjectDetailResponse</h3>
<p>The envelope of one record.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>data</code> <em>required</em></td>
<td><a href="#schema-ProjectDetail">ProjectDetail</a></td>
<td>The project.</td>
</tr>
<tr>
<td><code>processing_time_ms</code> <em>required</em></td>
<td><a href="#schema-ProcessingTime">ProcessingTime</a></td>
<td>Server-side processing time in milliseconds.</td>
</tr>
</tbody></table>
<h3 id="schema-ProjectListResponse">ProjectListResponse</h3>
<p>One page of projects.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>data</code> <em>required</em></td>
<td>array of <a href="#schema-Project">Project</a></td>
<td>The items of the page; their order is not shown.</td>
</tr>
<tr>
<td><code>pagination</code> <em>required</em></td>
<td><a href="#schema-Pagination">Pagination</a></td>
<td>1-indexed page, page size and total items.</td>
</tr>
<tr>
<td><code>processing_time_ms</code> <em>required</em></td>
<td><a href="#schema-ProcessingTime">ProcessingTime</a></td>
<td>Server-side processing time in milliseconds.</td>
</tr>
</tbody></table>
<h3 id="schema-TranscriptResponse">TranscriptResponse</h3>
<p>The envelope of one record.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>data</code> <em>required</em></td>
<td><a href="#schema-Transcript">Transcript</a></td>
<td>The transcript.</td>
</tr>
<tr>
<td><code>processing_time_ms</code> <em>required</em></td>
<td><a href="#schema-ProcessingTime">ProcessingTime</a></td>
<td>Server-side processing time in milliseconds.</td>
</tr>
</tbody></table>
<h3 id="schema-TranscriptListResponse">TranscriptListResponse</h3>
<p>List bodies add <code>pagination</code>; the body of this one list is not shown, so it is optional here.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>data</code> <em>required</em></td>
<td>array of <a href="#schema-TranscriptRow">TranscriptRow</a></td>
<td>The items of the page; their order is not shown.</td>
</tr>
<tr>
<td><code>pagination</code></td>
<td><a href="#schema-Pagination">Pagination</a></td>
<td>1-indexed page, page size and total items.</td>
</tr>
<tr>
<td><code>processing_time_ms</code> <em>required</em></td>
<td><a href="#schema-ProcessingTime">ProcessingTime</a></td>
<td>Server-side processing time in milliseconds.</td>
</tr>
</tbody></table>
<h3 id="schema-TranscriptDetailResponse">TranscriptDetailResponse</h3>
<p>The envelope of one record.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>data</code> <em>required</em></td>
<td><a href="#schema-TranscriptDetail">TranscriptDetail</a></td>
<td>The transcript.</td>
</tr>
<tr>
<td><code>processing_time_ms</code> <em>required</em></td>
<td><a href="#schema-ProcessingTime">ProcessingTime</a></td>
<td>Server-side processing time in milliseconds.</td>
</tr>
</tbody></table>
<h3 id="schema-AuthenticationError">AuthenticationError</h3>
<p>The error body of a missing or invalid key.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>error</code> <em>required</em></td>
<td>object</td>
<td>The error.</td>
</tr>
<tr>
<td><code>error.message</code> <em>required</em></td>
<td>string</td>
<td>A message for people.</td>
</tr>
<tr>
<td><code>error.type</code> <em>required</em></td>
<td><code>&quot;authentication_error&quot;</code></td>
<td>The kind of error.</td>
</tr>
<tr>
<td><code>error.code</code> <em>required</em></td>
<td><code>401</code></td>
<td>The HTTP status.</td>
</tr>
</tbody></table>
<h3 id="schema-AuthorizationError">AuthorizationError</h3>
<p>The error body of a key that lacks a permission.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>error</code> <em>required</em></td>
<td>object</td>
<td>The error.</td>
</tr>
<tr>
<td><code>error.message</code> <em>required</em></td>
<td>string</td>
<td>A message for people.</td>
</tr>
<tr>
<td><code>error.type</code> <em>required</em></td>
<td><code>&quot;authorization_error&quot;</code></td>
<td>The kind of error.</td>
</tr>
<tr>
<td><code>error.code</code> <em>required</em></td>
<td><code>403</code></td>
<td>The HTTP status.</td>
</tr>
</tbody></table>
<h3 id="schema-InvalidRequestError">InvalidRequestError</h3>
<p>Only the type is shown; other fields are open.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>error</code> <em>required</em></td>
<td>object</td>
<td>The error.</td>
</tr>
<tr>
<td><code>error.message</code></td>
<td>string</td>
<td>A message for people.</td>
</tr>
<tr>
<td><code>error.type</code> <em>required</em></td>
<td><code>&quot;invalid_request_error&quot;</code></td>
<td>The kind of error.</td>
</tr>
<tr>
<td><code>error.code</code></td>
<td>number</td>
<td>The HTTP status.</td>
</tr>
</tbody></table>
<h3 id="schema-RateLimitError">RateLimitError</h3>
<p>The envelope of the other errors. This body is not shown, so its fields are optional.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>error</code> <em>required</em></td>
<td>object</td>
<td>The error.</td>
</tr>
<tr>
<td><code>error.message</code></td>
<td>string</td>
<td>A message for people.</td>
</tr>
<tr>
<td><code>error.type</code></td>
<td>string</td>
<td>The kind of error.</td>
</tr>
<tr>
<td><code>error.code</code></td>
<td>number</td>
<td>The HTTP status.</td>
</tr>
</tbody></table>
<h3 id="schema-NotFoundError">NotFoundError</h3>
<p>Only the type is shown; other fields are open.</p>
<table>
<thead>
<tr>
<th>Field</th>
<th>Type</th>
<th>Meaning</th>
</tr>
</thead>
<tbody><tr>
<td><code>error</code> <em>required</em></td>
<td>object</td>
<td>The error.</td>
</tr>
<tr>
<td><code>error.message</code></td>
<td>string</td>
<td>A message for people.</td>
</tr>
<tr>
<td><code>error.type</code> <em>required</em></td>
<td><code>&quot;not_found_error&quot;</code></td>
<td>The kind of error.</td>
</tr>
<tr>
<td><code>error.code</code></td>
<td>number</td>
<td>The HTTP status.</td>
</tr>
</tbody></table>
<h3 id="schema-OpenObject">OpenObject</h3>
<p>An object of any fields.</p>
<p>Type: object, open.</p>
</main>
</body>
</html>
`
