import { readFileSync } from 'node:fs'
import { AmbiguousWriteError, createClient, InputError, isServiceError, ServiceError } from '@svc/client'

const svc = createClient({ apiKey: 'key', baseUrl: 'https://svc.test', timeoutMs: 30_000 })

export async function upload(projectId: string): Promise<string> {
  const turns = [
    { role: 'user', content: 'Where is my refund?' },
    { role: 'assistant', content: 'On its way.' },
  ]
  const conversation = { name: 'Refund', turns, modelName: 'm', sourceTimestamp: new Date() }
  const transcript = await svc.transcripts.upload(projectId, conversation, { timeoutMs: 60_000 })
  return transcript.processing_status === 'error' ? 'stored, not analysed' : transcript.id
}

export async function annotate(): Promise<string | undefined> {
  const transcript = JSON.parse(readFileSync('messages.json', 'utf8')) as { role: string; content: string }[]
  const annotation = await svc.annotations.create({ annotator: 'structural', transcript })
  const hit = annotation.signals.unresolved
  return annotation.outcome === 'poor' ? hit?.evidence : undefined
}

export async function read(projectId: string): Promise<number> {
  const page = await svc.projects.list({ limit: 20 })
  const project = page.data[0]
  let turns = project?.transcript_count ?? 0
  for await (const row of svc.transcripts.list(projectId, { language: 'en' })) turns += row.turn_count ?? 0
  return turns
}

export async function retryAt(): Promise<Date | undefined> {
  try {
    await svc.transcripts.get('tr_1')
  } catch (error) {
    if (error instanceof InputError) console.error(error.violations.map(({ pointer }) => pointer))
    if (error instanceof AmbiguousWriteError) console.error(error.candidates)
    if (isServiceError(error, 'transcripts.get') && error.status === 404) return undefined
    if (error instanceof ServiceError && error.kind === 'rate_limited') return error.retryAt
    throw error
  }
  return undefined
}
