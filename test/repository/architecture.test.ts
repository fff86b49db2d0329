import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packages = ['client', 'transcripts', 'reference-server', 'text', 'bulk', 'checks', 'cli']
const folders = packages.map((name) => `packages/${name}/src`)

interface File {
  path: string
  package: string
  text: string
  imports: { from: string; typesOnly: boolean; isDynamic: boolean }[]
}

const files = (folder: string, kind = /\.(ts|mjs)$/): File[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && kind.test(entry.name))
    .map((entry) => posix.join(entry.parentPath.slice(root.length), entry.name))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const statements = text.matchAll(
        /^(import|export)( type)?\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)|^import '([^']+)'/gm,
      )
      const imports = [...statements].map(([, , type, from, dynamic, bare]) => ({
        from: from ?? dynamic ?? bare ?? '',
        typesOnly: type !== undefined,
        isDynamic: dynamic !== undefined,
      }))
      return { path, package: path.split('/')[1] ?? '', text, imports }
    })

const all = folders.flatMap((folder) => files(folder))
const sources = all.filter(({ path }) => !path.includes('/generated/') && !path.endsWith('.test.ts'))
const offenders = (list: File[], offends: (file: File) => boolean) => list.filter(offends).map(({ path }) => path)
const importsOf = (name: string) => (file: File) =>
  file.imports.some(({ from }) => from === name || from.startsWith(`${name}/`))
/** A text without its comments. */
const comments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\/\/.*\n/gm, '').replace(/^\n+/gm, '')
/** A text without its comments and strings. */
const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, '')
const target = (file: File, from: string) => posix.join(dirname(file.path), from).replace(/\.js$/, '.ts')
const inside = (file: File) => file.imports.filter(({ from }) => from.startsWith('.'))

describe('a file', () => {
  it('a file is named in kebab-case', () => {
    expect(offenders(all, ({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.ts$/.test(basename(path)))).toEqual([])
  })

  it('named index.ts only names what the rest of the package may use', () => {
    const doors = sources.filter(({ path }) => basename(path) === 'index.ts')
    expect(
      offenders(doors, ({ text }) => !/^(export (type )?(\{[^}]*\}|\*) from '[^']+'\n)+$/.test(comments(text))),
    ).toEqual([])
  })

  it('holds no any', () => {
    expect(offenders(sources, ({ text }) => /:\s*any\b|\bas any\b|<any\b|\bany\[\]/.test(code(text)))).toEqual([])
  })
})

/** The circles of a graph, each with the way round. */
function circlesIn(edges: readonly (readonly [string, readonly string[]])[]): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (place: string, trail: string[]) => {
    if (trail.includes(place)) circles.push([...trail.slice(trail.indexOf(place)), place].join(' → '))
    else if (!done.has(place)) {
      for (const [from, to] of edges) if (from === place) for (const next of to) visit(next, [...trail, place])
      done.add(place)
    }
  }
  for (const [place] of edges) visit(place, [])
  return circles
}

describe('an import', () => {
  it('stays inside its package unless it names another by its name', () => {
    const leaves = (file: File) =>
      file.imports.some(
        ({ from }) => from.startsWith('.') && !target(file, from).startsWith(`packages/${file.package}/`),
      )
    expect(offenders(sources, leaves)).toEqual([])
  })

  it('never goes in a circle of files', () => {
    const edges = sources.map((file) => [file.path, inside(file).map(({ from }) => target(file, from))] as const)
    expect(circlesIn(edges)).toEqual([])
  })

  it('never goes in a circle of folders', () => {
    // A file beside the folders of a package is a concept of its own.
    const concept = (path: string) => (/^packages\/[^/]+\/src\/[^/]+$/.test(path) ? path : dirname(path))
    const edges = sources.map(
      (file) =>
        [
          concept(file.path),
          inside(file)
            .map(({ from }) => concept(target(file, from)))
            // A folder belongs to the one around it; files of both that form a circle are found above.
            .filter((other) => !`${concept(file.path)}/`.startsWith(`${other}/`)),
        ] as const,
    )
    expect(circlesIn(edges)).toEqual([])
  })

  it('enters a folder by its index, that of a command by the file with its name, and those of formats by each format', () => {
    const passesTheDoor = (file: File) =>
      inside(file).some(({ from }) => {
        const path = target(file, from)
        const isAround = `${dirname(file.path)}/`.startsWith(`${dirname(path)}/`)
        const isFormat = file.path === 'packages/transcripts/src/formats/readers.ts'
        const isCommand = /^packages\/cli\/src\/commands\/(?:([^/]+)\/\1|[^/]+)\.ts$/.test(path)
        return !isAround && !isCommand && !isFormat && basename(path) !== 'index.ts' && !path.includes('/generated/')
      })
    expect(offenders(sources, passesTheDoor)).toEqual([])
  })

  it('a test enters a package by its name, or by a door that its own folders use', () => {
    const outside = ['test', 'bench', 'examples', 'spec'].flatMap((folder) => files(folder))
    const door =
      /^packages\/[^/]+\/(?:src\/(?:[^/]+|(?:[^/]+\/)+index)\.ts|test\/fixtures\/.+|src\/generated\/.+|[^/]+)$/
    const entered = outside.flatMap((file) =>
      inside(file)
        .map(({ from }) => target(file, from))
        .filter((path) => path.startsWith('packages/'))
        .map((path) => ({ path, file: file.path })),
    )
    expect(entered.filter(({ path }) => !door.test(path))).toEqual([])
  })

  it('an import of generated code takes types only, or happens in one file, when it is asked for', () => {
    const takers = sources.flatMap((file) =>
      file.imports
        .filter(({ from, typesOnly }) => from.includes('generated/') && !typesOnly)
        .map(({ from, isDynamic }) => ({ module: target(file, from), file, isDynamic })),
    )
    expect(takers.map(({ module }) => module)).toEqual([...new Set(takers.map(({ module }) => module))])
    // A module that imports generated code statically is itself imported dynamically.
    const eager = takers.filter(({ isDynamic }) => !isDynamic).map(({ file }) => file.path)
    const loads = (file: File) =>
      file.imports.some(({ from, isDynamic }) => !isDynamic && eager.includes(target(file, from)))
    expect(offenders(sources, loads)).toEqual([])
  })

  it('a command never imports another command', () => {
    const commands = sources.filter(({ path }) => path.includes('/commands/'))
    const noun = (path: string) => /\/commands\/([^/]+)\//.exec(path)?.[1]
    const crosses = (file: File) =>
      file.imports.some(({ from }) => {
        const other = from.startsWith('.') ? noun(target(file, from)) : undefined
        return other !== undefined && other !== noun(file.path)
      })
    expect(offenders(commands, crosses)).toEqual([])
  })
})

describe('a package', () => {
  const outside = (name: string) => {
    const own = sources.filter((file) => file.package === name)
    const names = own
      .flatMap(({ imports }) => imports.map(({ from }) => from))
      .filter((from) => !/^([.#]|node:)/.test(from))
    return [...new Set(names)].sort()
  }

  /** The names of our packages, without the scope and the entry. */
  const ours = (name: string) => [...new Set(outside(name).flatMap((from) => /^@svc\/([^/]+)/.exec(from)?.[1] ?? []))]

  it('imports those of ours that docs/architecture.md lists, and no others', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `([\w-]+)` +\| (?:yes|no) +\| (.*?) *\|$/gm)]
    const listed = rows.map(([, name = '', imports = '']) => [name, imports.match(/[\w-]+/g) ?? []])
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(packages.map((name) => [name, ours(name)])))
  })

  it('a published library imports no private package at run time that its build does not bundle', () => {
    const manifest = (name: string) => JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), 'utf8'))
    const wrong = packages.flatMap((name) => {
      const { private: isPrivate, dependencies = {} } = manifest(name)
      return isPrivate
        ? []
        : Object.keys(dependencies).filter((other) => other.startsWith('@svc/') && manifest(other.slice(5)).private)
    })
    expect(wrong).toEqual([])
  })

  it('imports few third-party libraries', () => {
    const libraries = (name: string) => outside(name).filter((from) => !from.startsWith('@svc/'))
    expect(Object.fromEntries(packages.map((name) => [name, libraries(name)]))).toEqual({
      client: ['@opentelemetry/api', 'openapi-fetch', 'undici', 'zod'],
      transcripts: [
        'entities/decode',
        'fzstd',
        'hyparquet',
        'hyparquet-compressors',
        'hyparquet/src/column.js',
        'hyparquet/src/datapage.js',
        'hyparquet/src/delta.js',
        'hyparquet/src/schema.js',
        'hyparquet/src/thrift.js',
        'libsql',
        'yauzl',
      ],
      'reference-server': ['libsql', 'msw', 'openapi-fetch', 'selfsigned', 'vitest'],
      text: ['picomatch'],
      bulk: [],
      checks: ['jiti/static', 'sarif', 'vitest', 'zod/mini'],
      cli: ['commander', 'ora', 'string-width', 'undici', 'zod/mini'],
    })
  })

  it('a package that runs anywhere imports Node in the folders of its Node entries alone, and loads none of these itself', () => {
    const anywhere = sources.filter((file) =>
      ['client', 'transcripts', 'reference-server', 'text'].includes(file.package),
    )
    const isNodeEntry = (path: string) => /\/src\/(node|containers|persistence)\//.test(path)
    const others = anywhere.filter(({ path }) => !isNodeEntry(path))
    const takesNode = (file: File) => file.imports.some(({ from, typesOnly }) => /^node:/.test(from) && !typesOnly)
    // A server listens with what it loads when it does.
    expect(offenders(others, takesNode)).toEqual([
      'packages/reference-server/src/http/listen.ts',
      'packages/reference-server/src/http/tls.ts',
    ])
    expect(offenders(others, (file) => inside(file).some(({ from }) => isNodeEntry(target(file, from))))).toEqual([])
  })
})

describe('a library has one home:', () => {
  it('one file of a package, unless a test says more of it', () => {
    const shared = /^(zod|commander|vitest)(\/|$)/
    const own = sources.flatMap((file) =>
      file.imports
        .filter(({ from, typesOnly }) => !typesOnly && !/^(\.|node:|@svc\/)/.test(from) && !shared.test(from))
        .map(({ from }) => ({ library: `${file.package} ${from}`, path: file.path })),
    )
    const libraries = [...new Set(own.map(({ library }) => library))]
    const importersOf = (library: string) =>
      new Set(own.filter((each) => each.library === library).map(({ path }) => path))
    expect(libraries.filter((library) => importersOf(library).size > 1)).toEqual([])
  })

  it('the reference server, in `svc mock`, and its contract in `svc contract` and the settings that follow from it', () => {
    const homes = /\/commands\/(mock\/|contract\.ts$)|\/src\/saved-service\.ts$/
    const elsewhere = sources.filter(({ path }) => path.startsWith('packages/cli/') && !homes.test(path))
    expect(offenders(elsewhere, importsOf('@svc/reference-server'))).toEqual([])
  })

  it('only the shapes of the CLI and the schemas of the client import zod, and the rest of the client does without them', () => {
    const isSchemas = ({ path }: File) => path.startsWith('packages/client/src/zod/')
    const others = sources.filter((file) => !isSchemas(file))
    const homes = /^packages\/(cli\/src\/config|checks\/src)\//
    expect(offenders(others, importsOf('zod')).filter((path) => !homes.test(path))).toEqual([])
    expect(
      offenders(others, (file) =>
        inside(file).some(({ from }) => target(file, from).startsWith('packages/client/src/zod/')),
      ),
    ).toEqual([])
  })

  it('vitest, in the entry of a package for it', () => {
    const elsewhere = sources.filter(({ path }) => !/^packages\/[\w-]+\/src\/vitest\.ts$/.test(path))
    expect(offenders(elsewhere, importsOf('vitest'))).toEqual([])
  })

  it('commander, in the program and the commands', () => {
    const elsewhere = sources.filter(({ path }) => !/\/program\.ts$|\/commands\//.test(path))
    expect(offenders(elsewhere, importsOf('commander'))).toEqual([])
  })
})

describe('the world', () => {
  it('the world is touched in one place of each package: process, time, chance and fetch', () => {
    const touching = (pattern: RegExp) => offenders(sources, ({ text }) => pattern.test(code(text)))
    const node = touching(/from 'node:(fs|os|process|timers)|randomUUID|setImmediate/)
    expect(node.filter((path) => path.startsWith('packages/bulk/'))).toEqual(['packages/bulk/src/environment/node.ts'])
    expect(touching(/(?<![\w.])process\.(env|argv|exit|std|on|cwd)/)).toEqual([
      'packages/client/src/node/transport.ts',
      'packages/cli/src/bin.ts',
      'packages/cli/src/io/io.ts',
    ])
    expect(touching(/\bDate\.now\(|\bMath\.random\(|(?<!\.)\bsetTimeout\(/)).toEqual([
      'packages/client/src/clock.ts',
      'packages/reference-server/src/clock.ts',
      'packages/reference-server/src/http/listen.ts',
      'packages/reference-server/src/http/socket-request.ts',
      'packages/cli/src/io/io.ts',
      'packages/cli/src/io/node-files.ts',
    ])
    // The checks take disk, clock and ids as arguments; their defaults stand in one file.
    const ofChecks = sources.filter((file) => file.package === 'checks')
    const touchesDisk = (file: File) => file.imports.some(({ from }) => /^node:(fs|os|child_process)/.test(from))
    expect(offenders(ofChecks, touchesDisk)).toEqual(['packages/checks/src/environment.ts'])
    expect(offenders(ofChecks, ({ text }) => /\bconsole\.|\bprocess\.|randomUUID/.test(code(text)))).toEqual([
      'packages/checks/src/environment.ts',
    ])
    expect(touching(/globalThis\.fetch/)).toEqual(['packages/client/src/transport.ts'])
  })
})
