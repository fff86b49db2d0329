import { trim } from './bases.js'
/** One form of the interface description, ready to be sent. */
export interface DescriptionText {
  contentType: string
  text: string
}

/** Where a server serves its two surfaces, as URLs. */
export interface DescribedBases {
  baseUrl: string
  publicBaseUrl: string
}

interface Form {
  contentType: string
  /** Loaded when it is asked for, so that a server that never is carries none of it in memory. */
  load(): Promise<{ text: string; ownServer: string }>
  /** Makes a URL fit to stand inside a string of this form. */
  quote(url: string): string
}

const quoteJson = (url: string) => JSON.stringify(url).slice(1, -1)
const quoteHtml = (url: string) => url.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const forms = new Map<string, Form>([
  [
    '/openapi.json',
    { contentType: 'application/json', load: () => import('./generated/description-json.js'), quote: quoteJson },
  ],
  [
    '/openapi.yaml',
    { contentType: 'application/yaml', load: () => import('./generated/description-yaml.js'), quote: quoteJson },
  ],
  [
    '/docs',
    {
      contentType: 'text/html; charset=utf-8',
      load: () => import('./generated/description-page.js'),
      quote: quoteHtml,
    },
  ],
])

/**
 * What is served at a path of the annotation surface to describe both surfaces, naming the bases of the server that
 * serves it: an OpenAPI 3.1 document as JSON or YAML, or a page to read. Undefined for a path that describes nothing.
 */
export async function describe(path: string, bases: DescribedBases): Promise<DescriptionText | undefined> {
  const form = forms.get(path)
  if (!form) return undefined
  const { text, ownServer } = await form.load()
  const { server, prefix } = workspacePlace(bases)
  const baseUrl = hrefOf(bases.baseUrl)
  const values: Record<string, string> = {
    '%BASE_URL%': baseUrl,
    '%WORKSPACE_SERVER%': server,
    '%WORKSPACE_PREFIX%': prefix,
  }
  const template = server === baseUrl && ownServer !== '' ? text.replaceAll(ownServer, '') : text
  const filled = template.replaceAll(/%(?:BASE_URL|WORKSPACE_SERVER|WORKSPACE_PREFIX)%/g, (open) =>
    form.quote(values[open] ?? ''),
  )
  return { contentType: form.contentType, text: filled }
}

/** The workspace surface as a server and what its paths begin with: the annotation surface's server where it can be. */
function workspacePlace({ baseUrl, publicBaseUrl }: DescribedBases): { server: string; prefix: string } {
  const shared = hrefOf(baseUrl)
  const own = hrefOf(publicBaseUrl)
  if (`${own}/`.startsWith(`${shared}/`)) return { server: shared, prefix: own.slice(shared.length) }
  const { origin } = new URL(own)
  return { server: origin, prefix: own.slice(origin.length) }
}

const hrefOf = (url: string) => trim(new URL(url).href)
