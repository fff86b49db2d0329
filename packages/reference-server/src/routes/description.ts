import { withoutTrailingSlash } from '../bases.js'
import { descriptionPage } from './description-page.js'
import { type Bases, basesOf, type Operation, type Result } from './operation.js'

/** The description of both surfaces, with the base URLs of this server. It is loaded on the first request. */
async function describe(bases: Bases): Promise<Result> {
  const { text, ownServer } = await import('../generated/description-json.js')
  const { server, prefix } = workspaceServer(bases)
  const baseUrl = hrefOf(bases.baseUrl)
  const values: Record<string, string> = {
    '%BASE_URL%': baseUrl,
    '%WORKSPACE_SERVER%': server,
    '%WORKSPACE_PREFIX%': prefix,
  }
  const template = server === baseUrl ? text.replaceAll(ownServer, '') : text
  const body = template.replaceAll(/%(?:BASE_URL|WORKSPACE_SERVER|WORKSPACE_PREFIX)%/g, (open) =>
    JSON.stringify(values[open] ?? '').slice(1, -1),
  )
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

/** The server and path prefix of the workspace surface: the annotation surface's server if its URL contains the other. */
function workspaceServer({ baseUrl, publicBaseUrl }: Bases): { server: string; prefix: string } {
  const shared = hrefOf(baseUrl)
  const workspaceUrl = hrefOf(publicBaseUrl)
  if (`${workspaceUrl}/`.startsWith(`${shared}/`)) return { server: shared, prefix: workspaceUrl.slice(shared.length) }
  const { origin } = new URL(workspaceUrl)
  return { server: origin, prefix: workspaceUrl.slice(origin.length) }
}

const hrefOf = (url: string) => withoutTrailingSlash(new URL(url).href)

const shared = { id: 'description', surface: 'annotation', method: 'GET', open: () => true } as const

export const description: readonly Operation[] = [
  { ...shared, path: '/openapi.json', run: (context) => describe(basesOf(context)) },
  { ...shared, path: '/docs', run: ({ server }) => descriptionPage(server.hasControl) },
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
