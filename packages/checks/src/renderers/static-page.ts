import { style, styleHash } from '../generated/app.js'

/** The page has no script and loads nothing, whatever it shows. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'`

/** A page with the look of the HTML report. `title` and `body` are HTML. */
export function* staticPage(title: string, command: string, body: Iterable<string>): Generator<string> {
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="${command}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
`
  yield* body
  yield '</body>\n</html>\n'
}
