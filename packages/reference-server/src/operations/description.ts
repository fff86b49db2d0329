import { pathsOf } from '../bases.js'
import { type DescribedBases, describe } from '../description.js'
import type { Context, Operation, Result } from '../operation.js'

/** Nothing on the page is run or fetched. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

async function describeInterface(context: Context, path: string): Promise<Result> {
  const description = await describe(path, basesSeenBy(context))
  if (!description) throw new Error(`Nothing describes the interface at ${path}.`)
  const { contentType, text } = description
  return { status: 200, headers: { 'content-type': contentType, 'content-security-policy': pagePolicy }, body: text }
}

/** The bases by the name under which the caller reached the server. */
function basesSeenBy(context: Context): DescribedBases {
  const { baseUrl, publicBaseUrl } = context.server
  const host = context.call.header('host')
  // A header may hold a host that no URL can: none at all, or a port over 65535.
  if (host === null || !URL.canParse(`http://${host}`)) return { baseUrl, publicBaseUrl }
  const { annotation, workspace } = pathsOf(baseUrl, publicBaseUrl)
  return { baseUrl: `http://${host}${annotation}`, publicBaseUrl: `http://${host}${workspace}` }
}

/** The interface-description surface, which needs no key. */
export const description: readonly Operation[] = ['/openapi.json', '/openapi.yaml', '/docs'].map((path) => ({
  id: 'description',
  surface: 'annotation',
  method: 'GET',
  path,
  open: () => true,
  run: (context) => describeInterface(context, path),
}))
