import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { version } from '../../packages/cli/package.json'
import { zipOf } from '../../packages/transcripts/test/fixtures/archives.js'
import { blocksOf } from '../helpers/blocks.js'
import { install, packages, run } from '../helpers/installed.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const byPnpm: Record<string, Packed> = {}
const byNpm: Record<string, Packed> = {}
let app: ReturnType<typeof install>
beforeAll(() => {
  app = install(packages)
  const npm = join(app.folder, 'npm')
  // From copies without dependencies, in which npm looks for what to bundle; no manifest bundles any.
  for (const name of packages)
    cpSync(join(root, 'packages', name), join(npm, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    })
  const folders = packages.map((name) => `./${name}`)
  run('npm', ['pack', '--silent', '--pack-destination', npm, ...folders], npm)
  for (const name of packages) {
    byPnpm[name] = unpack(join(app.folder, 'packed', `svc-${name}.tgz`))
    byNpm[name] = unpack(join(npm, `svc-${name}-${version}.tgz`))
  }
}, 240_000)
afterAll(() => app.remove())

interface Packed {
  /** Without the development dependencies, which no installation reads. */
  manifest: Record<string, object>
  /** The content of each other file, by its path. */
  files: Record<string, string>
}

function unpack(tarball: string): Packed {
  const folder = `${tarball}.unpacked`
  mkdirSync(folder)
  run('tar', ['-xzf', tarball, '-C', folder, '--strip-components', '1'], app.folder)
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const all = paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')])
  const { 'package.json': text, ...files } = Object.fromEntries(all)
  const { devDependencies: _, ...manifest } = JSON.parse(text)
  return { manifest, files }
}

const node = (...args: string[]) => run(process.execPath, args, app.folder).trim()

/** Run a module in the application and return what it prints. */
function program(text: string): string {
  writeFileSync(join(app.folder, 'program.mjs'), text)
  return node('program.mjs')
}

it.each(packages)('npm pack and pnpm pack make the same files and the same manifest of @svc/%s', (name) => {
  expect(byNpm[name]).toEqual(byPnpm[name])
})

it.each(packages)('the manifest of @svc/%s names plain ranges, those of the catalog, in what npm installs', (name) => {
  const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'))
  const { dependencies = {}, peerDependencies, optionalDependencies } = byNpm[name]?.manifest ?? {}
  for (const range of Object.values({ ...dependencies, ...peerDependencies, ...optionalDependencies }))
    expect(range).toMatch(/^[~^]\d+\.\d+\.\d+( \|\| \^\d+\.\d+\.\d+)?$/)
  for (const [dependency, range] of Object.entries(dependencies)) expect(range).toBe(catalog[dependency] ?? range)
})

it.each(packages)('the tarball of @svc/%s holds what runs and what describes it, and no sources', (name) => {
  const inFolder = Object.keys(byPnpm[name]?.files ?? {}).map((path) => path.split('/')[0])
  const ownOfCli = name === 'cli' ? ['bin', 'svc.checks.schema.json', 'skills'] : name === 'client' ? ['skills'] : []
  expect(new Set(inFolder)).toEqual(new Set(['LICENSE', 'README.md', 'dist', ...ownOfCli]))
})

it('the tarball of @svc/cli holds the licence of each library in its bundle', () => {
  const notices = byPnpm.cli?.files['dist/THIRD-PARTY-NOTICES.txt'] ?? ''
  const titles = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \(\S+\)$/gm)].map(([, name]) => name)
  const bundled = ['commander', 'entities', 'fzstd', 'ora', 'picomatch', 'undici', 'yauzl', 'zod']
  expect(titles.filter((name) => bundled.includes(name ?? ''))).toEqual(bundled)
  expect(notices.match(/copyright/gi)?.length).toBeGreaterThanOrEqual(titles.length)
})

it('the tarball of @svc/cli lists each library in its bundle in an SBOM, with the installed version', () => {
  const { bomFormat, metadata, components } = JSON.parse(byPnpm.cli?.files['dist/bom.cdx.json'] ?? '')
  expect([bomFormat, metadata.component]).toMatchObject(['CycloneDX', { group: '@svc', name: 'cli', version }])
  const all: { group?: string; name: string; version: string; purl: string }[] = components
  const nameOf = ({ group, name }: { group?: string; name: string }) => (group ? `${group}/${name}` : name)
  const third = all.filter(({ group }) => group !== '@svc').map((each) => `${nameOf(each)} ${each.version}`)
  const notices = byPnpm.cli?.files['dist/THIRD-PARTY-NOTICES.txt'] ?? ''
  expect(third.sort()).toEqual([...notices.matchAll(/^(\S+ \d+\.\d+\.\d+) \(\S+\)$/gm)].map(([, name]) => name).sort())
  for (const [owner, name] of [
    ['cli', 'commander'],
    ['cli', 'ora'],
    ['text', 'picomatch'],
    ['cli', 'zod'],
  ] as const) {
    const installed = JSON.parse(
      readFileSync(join(root, `packages/${owner}/node_modules`, name, 'package.json'), 'utf8'),
    ).version
    expect(all.find((each) => each.name === name)).toMatchObject({
      version: installed,
      purl: expect.stringContaining(`pkg:npm/${name}@${installed}`),
    })
  }
  expect(JSON.stringify(components)).not.toContain(root)
})

it('the installed command has the schema of the policy file under a name of its own', () => {
  expect(node('-p', "require('@svc/cli/checks.schema.json').title")).toBe('Policy of svc check')
})

const entries = {
  '@svc/cli/checks': 'defineChecks',
  '@svc/checks': 'check',
  '@svc/client': 'createClient',
  '@svc/client/core': 'createClient',
  '@svc/client/node': 'nodeTransport',
  '@svc/client/openapi': 'openapi',
  '@svc/bulk': 'uploadAll',
  '@svc/bulk/node': 'claim',
  '@svc/bulk/parts': 'readUploadStates',
  '@svc/transcripts': 'parse',
  '@svc/transcripts/containers': 'openFile',
  '@svc/transcripts/parquet': 'parquetRows',
  '@svc/transcripts/sqlite': 'sqliteSessions',
  '@svc/reference-server/core': 'createServer',
}

it.each([
  ['browser', undefined],
  ['node', 'certificate'],
] as const)('a bundle for %s has the network codes that its fetch can show', async (platform, expected) => {
  const contents =
    "import { misconfigurationOf } from '@svc/client'; console.log(misconfigurationOf('CERT_HAS_EXPIRED'))"
  const { outputFiles } = await build({
    ...{ stdin: { contents, resolveDir: app.folder }, bundle: true, write: false, tsconfigRaw: {} },
    ...{ format: 'esm', platform, target: 'es2022' },
  })
  expect(program(outputFiles[0]?.text ?? '')).toBe(String(expected))
})

it('an application can import and require each entry of the installed packages', () => {
  const all = Object.entries(entries)
  const functions = all.map(() => 'function')
  const imports = all.map(([name, value], i) => `import { ${value} as entry${i} } from '${name}'`).join('\n')
  const imported = all.map((_, i) => `typeof entry${i}`)
  expect(program(`${imports}\nconsole.log(JSON.stringify([${imported}]))`)).toBe(JSON.stringify(functions))
  const required = all.map(([name, value]) => `typeof require('${name}').${value}`)
  expect(node('-p', `JSON.stringify([${required}])`)).toBe(JSON.stringify(functions))
})

it('the installed reference server listens where import() fails, as in Jest', () => {
  // A function that vm compiles has no import() unless it is given one.
  const status = node(
    '-e',
    `const file = require.resolve('@svc/reference-server/core')
     const text = require('node:fs').readFileSync(file, 'utf8')
     const module = { exports: {} }
     require('node:vm').compileFunction(text, ['require', 'module', 'exports'])(require, module, module.exports)
     module.exports.createServer().listen().then(async ({ baseUrl, close }) => {
       console.log((await fetch(baseUrl + '/health')).status)
       await close()
     })`,
  )
  expect(status).toBe('200')
})

it('an application that loads the installed importers loads nothing of the client, whose types and limits they use', () => {
  const loaded = "require('@svc/transcripts'); console.log(Object.keys(require.cache).join('\\n'))"
  expect(node('-e', loaded)).not.toContain(join('@svc', 'client'))
})

it.each([
  ['import', "import('@svc/reference-server').catch((error) => console.log(error.message))"],
  ['require', "try { require('@svc/reference-server') } catch (error) { console.log(error.message) }"],
])('an application without msw is told what to install by %s', (_, text) => {
  expect(node('-e', text)).toMatch(
    /cannot load msw\. It is not installed; run: npm install --save-dev msw\. Without MSW, import .*\/core\./,
  )
})

it('instanceof knows the errors of the installed client across its copies for import and for require', () => {
  const reported = program(
    `import { createRequire } from 'node:module'
     import { createClient, InputError, ServiceError } from '@svc/client'
     const required = createRequire(import.meta.url)('@svc/client')
     const error = await required.createClient({ environment: {} }).health().catch((e) => e)
     console.log(required.InputError === InputError, error instanceof InputError, error instanceof ServiceError)`,
  )
  expect(reported).toBe('false true false')
})

it('an application uploads a packed transcript file to the reference server with the installed packages alone', () => {
  // Needs both dependencies of the importers: one reads zip, the other zstd.
  const content = '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}'
  writeFileSync(join(app.folder, 'conversations.zip'), zipOf({ name: 'conversation.json', content, method: 93 }))
  const reported = program(
    `import { createClient } from '@svc/client'
     import { createServer, referenceKey } from '@svc/reference-server/core'
     import { parseStream, toUpload } from '@svc/transcripts'
     import { openFile } from '@svc/transcripts/containers'
     const { baseUrl, publicBaseUrl, fetch } = createServer({ baseUrl: 'https://svc.test' })
     const svc = createClient({ apiKey: referenceKey, baseUrl, publicBaseUrl, fetch })
     const { id } = await svc.projects.create({ name: 'packed' })
     const { files: [file] } = await openFile('conversations.zip')
     for await (const transcript of parseStream(file.chunks()))
       console.log((await svc.transcripts.upload(id, { ...toUpload(transcript), name: 'packed' })).turn_count)`,
  )
  expect(reported).toBe('2')
})

it('a program checks transcripts with the installed packages alone, and is type-checked', () => {
  cpSync(join(root, 'test/repository/consumer/checks.mts'), join(app.folder, 'checks.mts'))
  writeFileSync(join(app.folder, 'ends.mjs'), 'export default { rules: { ends: () => process.exit(0) } }')
  const tsc = join(root, 'node_modules/ts7/bin/tsc')
  expect(node(tsc, '--module', 'nodenext', '--target', 'es2022', '--strict', '--pretty', 'false', 'checks.mts')).toBe(
    '',
  )
  expect(node('checks.mjs')).toBe(
    'failed: 1 of 1 transcript breaks a rule\ntrue\nnot judged\ncould not judge: 1 of 1 not judged',
  )
})

it('the tests of docs/guides/gate-in-tests.md pass in a vitest project with the installed packages, and are type-checked', () => {
  const folder = join(app.folder, 'tests')
  mkdirSync(folder)
  for (const name of ['vitest', '@types'])
    symlinkSync(realpathSync(join(root, 'node_modules', name)), join(app.folder, 'node_modules', name))
  const tests = blocksOf(readFileSync(join(root, 'docs/guides/gate-in-tests.md'), 'utf8'), 'ts')
  for (const [at, text] of tests.entries()) writeFileSync(join(folder, `${at}.test.mts`), text)
  const names = tests.map((_, at) => `${at}.test.mts`)
  const tsc = [join(root, 'node_modules/ts7/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false']
  const options = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  expect(run(process.execPath, [...tsc, ...options, ...names], folder)).toBe('')
  const vitest = [process.execPath, join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', '.']
  const shown = run(join(app.folder, 'node_modules/.bin/svc'), ['mock', '--', ...vitest], folder)
  expect(shown).toMatch(/Tests +.*5 passed/)
})

it('an application runs the first program of the README of the installed @svc/bulk twice, and stores everything once', () => {
  const [readme = ''] = /(?<=```js\n)[\s\S]*?(?=```)/.exec(byPnpm.bulk?.files['README.md'] ?? '') ?? []
  writeFileSync(join(app.folder, 'bulk.mjs'), readme)
  const bin = join(app.folder, 'node_modules/.bin/svc')
  const shown = run(bin, ['mock', '--', 'sh', '-c', 'node bulk.mjs && node bulk.mjs'], app.folder)
  expect(shown.match(/^\w+ (?=Order)/gm)).toEqual([
    ...Array(3).fill('uploaded '),
    ...Array(3).fill('already_uploaded '),
  ])
  expect(shown).toMatch(/^3 0 0$[\s\S]*^0 3 0$/m)
})

it('the formats of docs/guides/adding-a-format.md are read by the installed svc, and by the installed importers', () => {
  const guide = readFileSync(join(root, 'docs/guides/adding-a-format.md'), 'utf8')
  const [file = ''] = blocksOf(guide, 'jsonl')
  writeFileSync(join(app.folder, 'calls.jsonl'), file)
  writeFileSync(join(app.folder, 'my-format.mjs'), blocksOf(guide, 'js')[0] ?? '')
  const svc = join(app.folder, 'node_modules/.bin/svc')
  const converted = run(svc, ['convert', 'calls.jsonl', '--importer', './my-format.mjs'], app.folder)
  expect(JSON.parse(converted)).toMatchObject({ externalId: 'c-7', sourceSystem: 'desk-call' })
  // The installed importers are not the copy that svc contains.
  writeFileSync(join(app.folder, 'monday.txt'), blocksOf(guide, 'text')[0] ?? '')
  writeFileSync(join(app.folder, 'call-notes.mjs'), blocksOf(guide, 'js')[1] ?? '')
  const notes = run(svc, ['convert', 'monday.txt', '--importer', './call-notes.mjs'], app.folder)
  expect(JSON.parse(notes)).toMatchObject({ name: 'Call of Monday', sourceSystem: 'call-notes' })
  const text = program(`
    import { parse } from '@svc/transcripts'
    import deskCall from './my-format.mjs'
    const { format, transcripts } = parse(${JSON.stringify(file)}, { formats: [deskCall] })
    console.log(format, transcripts[0].turns.length, transcripts[0].losses.length)`)
  expect(text).toBe('desk-call 2 0')
})

it('the installed svc serves and asks the reference server, and depends on no package', () => {
  expect(byPnpm.cli?.manifest.dependencies).toBeUndefined()
  const bin = join(app.folder, 'node_modules/.bin/svc')
  expect(run(bin, ['--version'], app.folder).trim()).toBe(version)
  expect(run(bin, ['mock', '--', 'svc', 'health'], app.folder)).toBe('status\tok\nsubstrate\tlambda\n')
})
