/** The script and the style of the page, as the build makes them of `app/`, and the hash of each for a Content-Security-Policy. */
export interface App {
  readonly script: string
  readonly scriptHash: string
  readonly style: string
  readonly styleHash: string
}

/** @throws {Error} in a checkout that is not built */
export async function loadApp(): Promise<App> {
  try {
    return await import('../generated/app.js')
  } catch (cause) {
    throw new Error('The page of the HTML report is not built. Build first: npx --yes pnpm@12 build', { cause })
  }
}

/** The rules by which a page may run the script of the app, and no other. */
export const scriptPolicy = ({ scriptHash }: Pick<App, 'scriptHash'>): string[] => [
  `script-src 'sha256-${scriptHash}'`,
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]

/** JSON that the script of the app reads. */
export const block = (id: string, json: string): string =>
  `<script type="application/json" id="${id}">${json}</script>\n`

interface Page {
  /** HTML. */
  title: string
  /** The command that writes the page. */
  command: string
  /** Beside the style and images in the page itself, which are allowed to every page. */
  policy?: readonly string[]
}

/** A self-contained page with the style of the app. `body` is HTML. Transcripts in it cannot load anything or run a script. */
export function* page(
  { style, styleHash }: Pick<App, 'style' | 'styleHash'>,
  { title, command, policy = [] }: Page,
  body: Iterable<string>,
): Generator<string> {
  const rules = ["default-src 'none'", `style-src 'sha256-${styleHash}'`, 'img-src data:', "base-uri 'none'"]
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="${command}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${[...rules, "form-action 'none'", ...policy].join('; ')}">
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

/** A table with a heading. Names are HTML, and so are the rows. */
export function* table(
  { title, names, kind }: { title: string; names: readonly string[]; kind?: string },
  rows: Iterable<string>,
): Generator<string> {
  const head = names.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${name}</th>`)).join('')
  const open = kind === undefined ? '<table>' : `<table class="${kind}">`
  yield `<h2>${title}</h2>\n<div class="wide" tabindex="0">${open}\n<thead><tr>${head}</tr></thead>\n<tbody>\n`
  yield* rows
  yield '</tbody>\n</table></div>\n'
}

/** A page with the style of the app, in parts, for what is no report. `body` is HTML. */
export const renderPage = async (of: Page, body: Iterable<string>): Promise<Iterable<string>> =>
  page(await loadApp(), of, body)
