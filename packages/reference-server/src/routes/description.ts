import { withoutTrailingSlash } from '../bases.js'
import { escapeHtml } from '../validation/index.js'
import { type Bases, basesOf, type Context, type Operation, type Result } from './operation.js'

interface Form {
  path: string
  contentType: string
  /** Load the text on the first request, so that other servers do not hold it in memory. */
  load(): Promise<{ text: string; ownServer: string }>
  /** Escape a URL for a string of this form. */
  quote(url: string): string
}

const quoteJson = (url: string) => JSON.stringify(url).slice(1, -1)

const json = () => import('../generated/description-json.js')
const yaml = () => import('../generated/description-yaml.js')
const page = () => import('../generated/description-page.js')

const forms: readonly Form[] = [
  { path: '/openapi.json', contentType: 'application/json', load: json, quote: quoteJson },
  { path: '/openapi.yaml', contentType: 'application/yaml', load: yaml, quote: quoteJson },
  { path: '/docs', contentType: 'text/html; charset=utf-8', load: page, quote: escapeHtml },
]

const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

const stateLink = '<p><a href="_svc/">The state of this server, and its control plane</a></p>'

/** The description of both surfaces, with the base URLs of this server. */
async function describe({ contentType, load, quote }: Form, bases: Bases, hasControl: boolean): Promise<Result> {
  const { text, ownServer } = await load()
  const { server, prefix } = workspaceServer(bases)
  const baseUrl = hrefOf(bases.baseUrl)
  const values: Record<string, string> = {
    '%BASE_URL%': baseUrl,
    '%WORKSPACE_SERVER%': server,
    '%WORKSPACE_PREFIX%': prefix,
  }
  const template = server === baseUrl && ownServer !== '' ? text.replaceAll(ownServer, '') : text
  const body = template.replaceAll(/%(?:BASE_URL|WORKSPACE_SERVER|WORKSPACE_PREFIX)%/g, (open) =>
    quote(values[open] ?? ''),
  )
  const headers = { 'content-type': contentType, 'content-security-policy': pagePolicy }
  // Only the page has a header.
  return { status: 200, headers, body: hasControl ? body.replace('<header>', `<header>${stateLink}`) : body }
}

/** The server and path prefix of the workspace surface: the annotation surface's server if its URL contains the other. */
function workspaceServer({ baseUrl, publicBaseUrl }: Bases): { server: string; prefix: string } {
  const shared = hrefOf(baseUrl)
  const own = hrefOf(publicBaseUrl)
  if (`${own}/`.startsWith(`${shared}/`)) return { server: shared, prefix: own.slice(shared.length) }
  const { origin } = new URL(own)
  return { server: origin, prefix: own.slice(origin.length) }
}

const hrefOf = (url: string) => withoutTrailingSlash(new URL(url).href)

const shared = { id: 'description', surface: 'annotation', method: 'GET', open: () => true } as const

export const description: readonly Operation[] = [
  ...forms.map((form) => ({
    ...shared,
    path: form.path,
    run: (context: Context) => describe(form, basesOf(context), context.server.hasControl),
  })),
  // Not in the interface: who opens the base URL in a browser finds the page.
  {
    ...shared,
    path: '/',
    run: (context) => {
      const { pathname } = new URL(basesOf(context).baseUrl)
      return { status: 302, headers: { location: `${withoutTrailingSlash(pathname)}/docs` }, body: '' }
    },
  },
]
