import type { AnnotationRequest, SvcClient, TranscriptUpload } from '@svc/client'
import { parse, redact, toAnnotationMessages, toUpload } from '@svc/transcripts'
import { same } from './same.mjs'

export async function send(svc: SvcClient, annotator: string, text: string) {
  for (const transcript of parse(text).transcripts) {
    const upload = toUpload(transcript, { name: 'named', sourceTimestamp: new Date() })
    same<typeof upload, TranscriptUpload>(true)
    const request: AnnotationRequest = { annotator, transcript: toAnnotationMessages(transcript) }
    await svc.transcripts.upload('hp-1', redact(upload).value)
    await svc.annotations.create(redact(request).value)
    for (const { role } of transcript.turns)
      same<typeof role, 'user' | 'assistant' | 'system' | 'tool' | 'human_agent'>(true)
  }
}
