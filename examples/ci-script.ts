// A gate of your own in CI: annotate the conversations of the named files, and fail on critical ones or on any that could
// not be judged. `svc check` does this with reports, baselines and a cache.
import { readFileSync } from 'node:fs'
import { createClient } from '@svc/client'
import { parse, toAnnotationMessages } from '@svc/transcripts'

const annotator = 'structural'
const accepted = ['strong', 'mixed', 'poor']

const svc = createClient()
const conversations = process.argv.slice(2).flatMap((path) =>
  parse(readFileSync(path, 'utf8')).transcripts.map((transcript, at) => ({
    name: `${path} (${at + 1})`,
    request: { annotator, transcript: toAnnotationMessages(transcript) },
  })),
)

let [passed, failed] = [0, 0]
const requests = conversations.map(({ request }) => request)
for await (const result of svc.annotations.createMany(requests, { concurrency: 8 })) {
  const { name } = conversations[result.index] as (typeof conversations)[number]
  const answer = result.status === 'fulfilled' ? result.value : undefined
  const isOurs = answer?.annotator === annotator
  if (isOurs && answer.outcome === 'critical') failed++
  else if (isOurs && accepted.includes(answer.outcome)) passed++
  console.log(answer?.outcome ?? 'no answer', name, result.status === 'rejected' ? result.reason : '')
}
// Neither passed nor failed: no answer, that of another annotator, or an outcome that this script does not know.
const unjudged = conversations.length - passed - failed
console.log(`${conversations.length} conversations, ${failed} critical, ${unjudged} not judged`)
process.exitCode = failed > 0 ? 1 : unjudged > 0 || conversations.length === 0 ? 2 : 0
