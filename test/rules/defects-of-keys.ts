import { rules as authentication } from './authentication.rules.js'
import type { Defects } from './defect.js'
import { rules as health } from './health.rules.js'
import { rules as permissions } from './permissions.rules.js'
import { rules as readings } from './readings.rules.js'

const guard = 'guard.ts'

export const ofKeys: Defects = {
  likely: [...authentication, ...readings, ...health],
  defects: [
    {
      name: 'reads the scheme with regard to case',
      file: guard,
      find: "header.slice(0, 7).toLowerCase() !== 'bearer '",
      replace: "header.slice(0, 7) !== 'Bearer '",
    },
    {
      name: 'takes any scheme, and none',
      file: guard,
      find: `  if (header === null || header.length < 8 || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  return header.slice(7).trim() || undefined`,
      replace: "  return header?.slice(header.indexOf(' ') + 1).trim() || undefined",
    },
    { name: 'accepts a revoked key', file: guard, find: 'if (!known.revoked) return known', replace: 'return known' },
    {
      name: 'answers 401 to a revoked key on A',
      file: guard,
      find: "if (surface === 'annotation') throw new Refusal(403, 'This API key has been revoked.')",
      replace: '',
    },
    {
      name: 'answers 403 to a revoked key on B',
      file: guard,
      find: "if (surface === 'annotation') throw new Refusal(403",
      replace: 'throw new Refusal(403',
    },
    {
      name: 'looks at the surfaces of a key unasked',
      file: 'readings.ts',
      find: 'separateKeys: false,',
      replace: 'separateKeys: true,',
    },
    {
      name: 'does not look at the surfaces of a key when asked to',
      file: guard,
      find: 'const elsewhere = separateKeys && ',
      replace: 'const elsewhere = false && ',
    },
    {
      name: 'lists its annotators without a key',
      file: 'readings.ts',
      find: 'annotatorsNeedKey: true,',
      replace: 'annotatorsNeedKey: false,',
    },
    {
      name: 'wants a key for its annotators where they are public',
      file: 'operations/annotation.ts',
      find: 'open: (readings) => !readings.annotatorsNeedKey',
      replace: 'open: () => false',
    },
    {
      name: 'takes a key in capitals',
      file: 'world.ts',
      find: 'return this.#keys.get(key)',
      replace: 'return this.#keys.get(key) ?? this.#keys.get(key.toLowerCase())',
    },
    { name: 'keeps a deleted key', file: 'world.ts', find: '    this.#keys.delete(key)\n', replace: '' },
    {
      name: 'does not take a revocation back',
      file: 'world.ts',
      find: 'this.#setRevoked(key, false)',
      replace: 'this.#setRevoked(key, true)',
    },
    { name: 'forgets when a key was used', file: 'route.ts', find: 'world.use(key, at)', replace: '' },
    {
      name: 'repeats the key that it refuses',
      file: 'route.ts',
      find: 'const key = authenticate(',
      replace: "if (!known) throw new Refusal(401, 'There is no key ' + named)\n    const key = authenticate(",
    },
    {
      name: 'answers 501 before 401',
      file: 'operations/annotation.ts',
      find: "id: 'batches.create', surface,",
      replace: "id: 'batches.create', open: () => true, surface,",
    },
    {
      name: 'wants a key for health',
      file: 'operations/annotation.ts',
      find: "path: '/health', open: () => true",
      replace: "path: '/health', open: () => false",
    },
  ],
}

export const ofPermissions: Defects = {
  likely: permissions,
  defects: [
    {
      name: 'asks for no permission',
      file: guard,
      find: 'if (permissions === undefined || permissions.includes(needed)) return',
      replace: 'return',
    },
    {
      name: 'ignores halfpipe-transcripts-write',
      file: guard,
      find: "  if (needed === 'projects-write' && permissions.includes('halfpipe-transcripts-write')) return\n",
      replace: '',
    },
    {
      name: 'lets halfpipe-transcripts-write read',
      file: guard,
      find: "needed === 'projects-write' && permissions.includes(",
      replace: 'permissions.includes(',
    },
    {
      name: 'lets whoever may read write by the legacy routes',
      file: 'operations/legacy.ts',
      find: "permission: 'projects-write'",
      replace: "permission: 'projects-read'",
    },
    {
      name: 'answers 401 to a lacking permission',
      file: guard,
      find: 'throw new Refusal(403, `This API key lacks',
      replace: 'throw new Refusal(401, `This API key lacks',
    },
    {
      name: 'lets a key without restriction do nothing',
      file: guard,
      find: 'if (permissions === undefined || permissions.includes(needed)) return',
      replace: "if (!permissions) throw new Refusal(403, 'No permission.')\n  if (permissions.includes(needed)) return",
    },
  ],
}
