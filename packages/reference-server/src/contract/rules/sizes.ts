import { expectAccepted, expectEqual, expectStatus, onB, type Rule, upload } from '../trial.js'

const source = 'Limits › Surface B'
const turnOf = (content: string) => ({ role: 'user', content })

export const rules: readonly Rule[] = [
  {
    name: 'one turn over 1 MB among others is 413, and nothing is stored',
    source,
    async run(trial) {
      const project = `/projects/${await trial.project()}`
      const before = (await trial.read(project)).transcript_count
      const turns = [turnOf('hi'), turnOf('x'.repeat(2 ** 20 + 1)), turnOf('bye')]
      expectStatus(await trial.ask(onB(`${project}/transcripts`, { body: JSON.stringify(upload({ turns })) })), 413)
      expectEqual((await trial.read(project)).transcript_count, before, 'transcript_count')
    },
  },
  {
    name: 'turns are measured one by one: four of 1 MB make an upload',
    source,
    async run(trial) {
      const turns = Array.from({ length: 4 }, () => turnOf('x'.repeat(1_000_000)))
      const path = `/projects/${await trial.project()}/transcripts`
      expectAccepted(await trial.ask(onB(path, { body: JSON.stringify(upload({ turns })) })))
    },
  },
]
