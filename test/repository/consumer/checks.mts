// Compiled and run by test/repository/packaging.built.test.ts, beside the packed packages.
import { type CheckReport, check, defineChecks, judge, rulesFrom } from '@svc/checks'
import { createClient } from '@svc/client'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { parse } from '@svc/transcripts'

const { baseUrl, publicBaseUrl, fetch } = createServer({ baseUrl: 'https://svc.test' })
const client = createClient({ apiKey: referenceKey, baseUrl, publicBaseUrl, fetch })
const text = '{"messages":[{"role":"user","content":"Where is order 7?"},{"role":"assistant","content":"Shipped."}]}'
const transcripts = parse(text).transcripts.map((transcript) => ({ path: 'order.json', transcript }))
const policy = defineChecks({
  failOn: 'critical',
  rules: { polite: ({ transcript }) => (transcript.turns.length > 2 ? [] : 'says too little') },
})
const result = await check({ client, annotator: 'structural', transcripts, policy })
const report: CheckReport = result.report
console.log(report.line)
console.log((await result.render('html')).startsWith('<!doctype html>'))
console.log(judge([], { failOn: 'none' }).verdict)
const rules = await rulesFrom('ends.mjs', { trusted: true })
console.log((await check({ client, annotator: 'structural', transcripts, policy: { rules } })).report.line)
// @ts-expect-error no such outcome
export const wrong = () => check({ client, annotator: 'structural', transcripts, policy: { failOn: 'worst' } })
