// Upload a conversation and annotate it. Keys and addresses come from SVC_API_KEY, SVC_BASE_URL, SVC_PUBLIC_BASE_URL.
import { createClient } from '@svc/client'

const svc = createClient()

const project = await svc.projects.create({ name: 'Support' })
const transcript = await svc.transcripts.upload(project.id, {
  name: 'Order 7',
  turns: [
    { role: 'user', content: 'Where is order 7?' },
    { role: 'assistant', content: 'It left the warehouse this morning.' },
  ],
})
console.log(transcript.id, transcript.processing_status)

const { outcome, signals } = await svc.annotations.create({
  annotator: 'structural',
  transcript: [
    { role: 'user', content: 'Where is order 7?' },
    { role: 'assistant', content: 'It left the warehouse this morning.' },
  ],
})
console.log(outcome, signals)
