import type { OutgoingResponse } from './http-messages.js'

/** The parts of a page. */
interface Parts<Helpers> {
  title: string
  /** CSS. */
  style: string
  /** The markup of the body, without anything of a request. */
  body: string
  /** Runs in the page; it needs nothing outside of itself but the helpers. */
  program(helpers: Helpers): unknown
  /** Functions that need nothing outside of themselves. */
  helpers: Helpers
}

/**
 * A page whose program is the text of functions, so that it is checked like all code and needs no build. It asks only the server
 * that it comes from, and runs nothing that it has not brought.
 */
export function htmlPage<Helpers extends Readonly<Record<string, unknown>>>({
  title,
  style,
  body,
  program,
  helpers,
}: Parts<Helpers>): OutgoingResponse {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const nonce = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const policy = [
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src data:`,
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ].join('; ')
  const given = Object.entries(helpers).map(([name, helper]) => `${name}: ${helper}`)
  // A loader such as tsx wraps functions in calls of `__name`, which the page does not have.
  const script = `const __name = (each) => each\n;(${program})({ ${given.join(',\n')} })`
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style nonce="${nonce}">${commonStyle}${style}</style>
</head>
<body>
${body}
<script nonce="${nonce}" type="module">
${script}
</script>
</body>
</html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
  return { status: 200, headers, body: page }
}

const commonStyle = `
:root { color-scheme: light dark; --soft: light-dark(#57606a, #9aa4af); --line: light-dark(#d0d7de, #3d444d);
  --mark: light-dark(#ddf4ff, #12345a); --bad: light-dark(#b3261e, #ff8a80); --good: light-dark(#116329, #7ee2a0) }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: light-dark(#fff, #15191e); color: light-dark(#1f2328, #e6edf3) }
code, pre { font: 13px/1.45 ui-monospace, monospace }
pre { margin: 0; padding: .6rem; border: 1px solid var(--line); border-radius: 6px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .15rem .8rem .15rem 0 }
a { color: light-dark(#0550ae, #79c0ff) }
:focus-visible { outline: 2px solid light-dark(#0550ae, #79c0ff); outline-offset: 1px }
.soft { color: var(--soft) } .bad { color: var(--bad) } .good { color: var(--good) }
`
