// The facts about the project that every package and both OpenAPI files repeat, and the refusal to release placeholders.
//   node .github/release.mjs sync    copy author, homepage, bugs and repository from the root to each package, README and spec
//   node .github/release.mjs pin     name the version of the command in the recipes of examples/gate
//   node .github/release.mjs check   exit with 1 while one of them is a placeholder
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)
const read = (path) => JSON.parse(readFileSync(new URL(path, root), 'utf8'))
const { author, homepage, bugs, repository } = read('package.json')

if (process.argv[2] === 'sync') {
  for (const folder of readdirSync(new URL('packages', root))) {
    const path = `packages/${folder}/package.json`
    const before = read(path)
    const manifest = {
      ...before,
      author,
      homepage,
      bugs,
      repository: { ...repository, directory: `packages/${folder}` },
    }
    writeFileSync(new URL(path, root), `${JSON.stringify(manifest, null, 2)}\n`)
    // npm shows a README without the repository, so its links are absolute.
    const readme = new URL(`packages/${folder}/README.md`, root)
    writeFileSync(readme, readFileSync(readme, 'utf8').replaceAll(before.homepage, homepage))
  }
  const { name, email } = /^(?<name>[^<]*?)(?: <(?<email>.*)>)?$/.exec(author).groups
  // A text of JSON is one of YAML, whatever it contains.
  const facts = Object.entries({ name, email, url: bugs }).filter(([, value]) => value)
  const contact = `{ ${facts.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(', ')} }`
  for (const surface of ['annotation', 'workspace']) {
    const spec = new URL(`spec/${surface}.openapi.yaml`, root)
    writeFileSync(
      spec,
      readFileSync(spec, 'utf8').replace(/contact: \{.*\}/, () => `contact: ${contact}`),
    )
  }
} else if (process.argv[2] === 'pin') {
  const { version } = read('packages/cli/package.json')
  for (const name of readdirSync(new URL('examples/gate', root))) {
    const file = new URL(`examples/gate/${name}`, root)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(/(@svc\/cli@|Version of @svc\/cli\n {4}default: )\d[\w.-]*/g, `$1${version}`))
  }
} else {
  const placeholders = Object.entries({ author, homepage, bugs, repository }).filter(([, value]) =>
    /\.invalid\b/.test(JSON.stringify(value)),
  )
  for (const [name, value] of placeholders)
    console.error(`package.json: ${name} is a placeholder: ${JSON.stringify(value)}`)
  if (placeholders.length > 0) {
    console.error('Replace it, run `node .github/release.mjs sync` and `pnpm generate`, and release again.')
    process.exitCode = 1
  }
}
