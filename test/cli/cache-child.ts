import { openCache } from '../../packages/cli/src/checks/cache/cache.js'
import { annotationOf, keyOf } from '../../packages/cli/src/checks/cache/cache-fixture.js'
import { realIo } from '../../packages/cli/src/io.js'

/** Puts so many annotations, each of so many characters, into a cache, and says after each that it is there. */
const [folder = '', seed = '', many = '', characters = '', maxBytes = ''] = process.argv.slice(2)

async function main(): Promise<void> {
  const say = (line: string) => process.stdout.write(`said ${line}\n`)
  const io = realIo(process, folder, { signal: new AbortController().signal, onSignal: () => () => {} })
  const cache = await openCache(io, 'annotations.jsonl', { warn: say, maxBytes: Number(maxBytes) })
  for (let i = 0; i < Number(many); i++) {
    const text = `${seed} ${i}`
    await cache.put(keyOf(text), annotationOf(text, { outcome_notes: 'ü'.repeat(Number(characters)) }))
    process.stdout.write(`put ${text}\n`)
  }
  await cache.close()
}

void main().catch((error) => {
  process.stdout.write(`failed ${error.message} ${error.details}\n`)
})
