// Walk every transcript of every project; pages are fetched as the loop asks for them.
import { createClient } from '@svc/client'

const svc = createClient()

for await (const project of svc.projects.all()) {
  console.log(project.name)
  for await (const transcript of svc.transcripts.all(project.id, { date_from: new Date('2026-01-01') })) {
    console.log(' ', transcript.id, transcript.name)
  }
}
