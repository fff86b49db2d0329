// Read every transcript of every project; the loop requests each page when it needs it.
import { createClient } from '@svc/client'

const svc = createClient()

for await (const project of svc.projects.all()) {
  console.log(project.name)
  for await (const transcript of svc.transcripts.all(project.id, { date_from: new Date('2026-01-01') })) {
    console.log(' ', transcript.id, transcript.name)
  }
}
