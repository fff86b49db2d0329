// A gate of your own in CI: annotate the conversations of the named files, and fail on critical ones or on any that could
// not be judged. `svc check` does this with reports, baselines and a cache.
import { readFileSync } from 'node:fs'
import { createClient } from '@svc/client'
import { parse, toAnnotationMessages } from '@svc/transcripts'

const svc = createClient()
const conversations = process.argv.slice(2).flatMap((path) =>
  parse(readFileSync(path, 'utf8')).transcripts.map((transcript, at) => ({
    name: `${path} (${at + 1})`,
    request: { annotator: 'structural', transcript: toAnnotationMessages(transcript) },
  })),
)

let [failed, unjudged] = [0, 0]
const requests = conversations.map(({ request }) => request)
for await (const result of svc.annotations.createMany(requests, { concurrency: 8 })) {
  const { name } = conversations[result.index] as (typeof conversations)[number]
  const outcome = result.status === 'fulfilled' ? result.value.outcome : undefined
  if (outcome === undefined || outcome === 'indeterminate') unjudged++
  else if (outcome === 'critical') failed++
  console.log(outcome ?? 'not judged', name, result.status === 'rejected' ? result.reason : '')
}
console.log(`${conversations.length} conversations, ${failed} critical, ${unjudged} not judged`)
process.exitCode = failed > 0 ? 1 : unjudged > 0 || conversations.length === 0 ? 2 : 0
