import { pathsOf, withoutTrailingSlash } from '../bases.js'
import type { Context, Operation, Result } from './operation.js'

/** Where a server serves its two surfaces, as URLs. */
interface Bases {
  baseUrl: string
  publicBaseUrl: string
}

/** One form of the interface description. */
interface Form {
  path: string
  contentType: string
  /** Loaded when it is asked for, so that a server that never is carries none of it in memory. */
  load(): Promise<{ text: string; ownServer: string }>
  /** Makes a URL fit to stand inside a string of this form. */
  quote(url: string): string
}

const quoteJson = (url: string) => JSON.stringify(url).slice(1, -1)
const quoteHtml = (url: string) => url.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
const json = () => import('../generated/description-json.js')
const yaml = () => import('../generated/description-yaml.js')
const page = () => import('../generated/description-page.js')

const forms: readonly Form[] = [
  { path: '/openapi.json', contentType: 'application/json', load: json, quote: quoteJson },
  { path: '/openapi.yaml', contentType: 'application/yaml', load: yaml, quote: quoteJson },
  { path: '/docs', contentType: 'text/html; charset=utf-8', load: page, quote: quoteHtml },
]

/** Nothing on the page is run or fetched. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** Describes both surfaces, naming the bases of the server that serves the description. */
async function describe({ contentType, load, quote }: Form, bases: Bases): Promise<Result> {
  const { text, ownServer } = await load()
  const { server, prefix } = workspacePlace(bases)
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
  return { status: 200, headers: { 'content-type': contentType, 'content-security-policy': pagePolicy }, body }
}

/** The workspace surface as a server and what its paths begin with: the annotation surface's server where it can be. */
function workspacePlace({ baseUrl, publicBaseUrl }: Bases): { server: string; prefix: string } {
  const shared = hrefOf(baseUrl)
  const own = hrefOf(publicBaseUrl)
  if (`${own}/`.startsWith(`${shared}/`)) return { server: shared, prefix: own.slice(shared.length) }
  const { origin } = new URL(own)
  return { server: origin, prefix: own.slice(origin.length) }
}

const hrefOf = (url: string) => withoutTrailingSlash(new URL(url).href)

/** The bases by the name under which the caller reached the server. */
function basesSeenBy(context: Context): Bases {
  const { baseUrl, publicBaseUrl } = context.server
  const host = context.call.header('host')
  // A header may hold a host that no URL can: none at all, or a port over 65535.
  if (host === null || !URL.canParse(`http://${host}`)) return { baseUrl, publicBaseUrl }
  const { annotation, workspace } = pathsOf(baseUrl, publicBaseUrl)
  return { baseUrl: `http://${host}${annotation}`, publicBaseUrl: `http://${host}${workspace}` }
}

/** The interface-description surface, which needs no key. */
export const description: readonly Operation[] = forms.map((form) => ({
  id: 'description',
  surface: 'annotation',
  method: 'GET',
  path: form.path,
  open: () => true,
  run: (context) => describe(form, basesSeenBy(context)),
}))
