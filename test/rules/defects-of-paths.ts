import { rules as cors } from './cors.rules.js'
import type { Defects } from './defect.js'
import { rules as description } from './description.rules.js'
import { rules as legacy } from './legacy.rules.js'
import { rules as methods } from './methods.rules.js'
import { rules as paths } from './paths.rules.js'

const table = 'route-table.ts'
const route = 'route.ts'

export const ofMethods: Defects = {
  likely: methods,
  defects: [
    {
      name: 'does not say what it allows after a 405',
      file: route,
      find: ', { headers: { allow } })',
      replace: ')',
    },
    {
      name: 'does not say what it allows to OPTIONS',
      file: route,
      find: 'return empty({ allow })',
      replace: 'return empty({})',
    },
    {
      name: 'says nothing of HEAD in Allow',
      file: table,
      find: "name === 'GET' ? ['GET', 'HEAD'] : [name]",
      replace: '[name]',
    },
    {
      name: 'does not know HEAD',
      file: route,
      find: "call.method === 'HEAD' ? 'GET' : call.method",
      replace: 'call.method',
    },
    {
      name: 'answers HEAD with a body',
      file: 'fetch-edge.ts',
      find: "method === 'HEAD' ? null : body",
      replace: 'body',
    },
    {
      name: 'answers HEAD with other headers than GET',
      file: 'fetch-edge.ts',
      find: "'content-length': length }",
      replace: "'content-length': method === 'HEAD' ? '0' : length }",
    },
    {
      name: 'wants a key for OPTIONS',
      file: route,
      find: "if (call.method === 'OPTIONS') return",
      replace: "if (call.method === 'OPTIONS' && call.header('authorization') !== null) return",
    },
  ],
}

export const ofPaths: Defects = {
  likely: [...paths, ...legacy],
  defects: [
    {
      name: 'takes a slash at the end of a path',
      file: table,
      find: 'fixed[surface].get(path)',
      replace: "fixed[surface].get(path.replace(/\\/$/, ''))",
    },
    {
      name: 'reads paths without regard to case',
      file: table,
      find: 'fixed[surface].get(path)',
      replace: 'fixed[surface].get(path.toLowerCase())',
    },
    { name: 'takes an empty id', file: table, find: "segments[i] === ''", replace: 'false' },
    {
      name: 'does not decode ids',
      file: table,
      find: "if (!segment.includes('%')) return segment",
      replace: 'return segment',
    },
    {
      name: 'decodes a path before it is parted',
      file: table,
      find: "const segments = path.split('/')\n  for",
      replace: "const segments = path.replaceAll('%2F', '/').split('/')\n  for",
    },
    {
      name: 'fails at broken percent-encoding',
      file: table,
      find: '  } catch {\n    return undefined',
      replace: "  } catch {\n    throw new Error('URI malformed')",
    },
    {
      name: 'answers for the wrong surface below the public base',
      file: 'bases.ts',
      find: 'b.prefix.length - a.prefix.length',
      replace: 'a.prefix.length - b.prefix.length',
    },
    {
      name: 'does not know sessionId',
      file: 'operations/legacy.ts',
      find: '(body.projectId ?? body.sessionId)',
      replace: 'body.projectId',
    },
    {
      name: 'has no legacy routes',
      file: 'readings.ts',
      find: 'legacy: true,',
      replace: 'legacy: false,',
    },
    {
      name: 'has legacy routes where there are to be none',
      file: 'operations/index.ts',
      find: 'readings.legacy ? legacy : []',
      replace: 'legacy',
    },
  ],
}

export const ofOrigins: Defects = {
  likely: cors,
  defects: [
    {
      name: 'lets pages read no answer',
      file: route,
      find: 'call.foreign ? undefined : corsHeaders(call)',
      replace: 'undefined',
    },
    {
      name: 'does not let pages read Retry-After',
      file: 'cors.ts',
      find: "'retry-after, date,",
      replace: "'date,",
    },
    {
      name: 'does not let pages send a key',
      file: 'cors.ts',
      find: "call.header('access-control-request-headers') ?? 'authorization, content-type'",
      replace: "'content-type'",
    },
    {
      name: 'lets pages send GET alone',
      file: 'cors.ts',
      find: "'access-control-allow-methods': allow",
      replace: "'access-control-allow-methods': true ? 'GET' : allow",
    },
    {
      name: 'tells everyone of origins',
      file: 'cors.ts',
      find: 'if (origin === null) return undefined',
      replace: "if (origin === null) return allowing('*')",
    },
  ],
}

export const ofDescription: Defects = {
  likely: description,
  defects: [
    {
      name: 'wants a key for its description',
      file: 'operations/description.ts',
      find: 'open: () => true,',
      replace: 'open: () => false,',
    },
    { name: 'has no page', file: 'operations/description.ts', find: ", '/docs']", replace: ']' },
    {
      name: 'sends its page as text',
      file: 'operations/description.ts',
      find: "'content-type': contentType,",
      replace: "'content-type': 'text/plain',",
    },
    {
      name: 'describes itself on the workspace surface too',
      file: 'operations/description.ts',
      find: "surface: 'annotation',",
      replace: "surface: path === '/docs' ? 'workspace' : 'annotation',",
    },
  ],
}
