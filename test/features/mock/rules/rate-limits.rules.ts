import { expect } from 'chai'
import { newProject, newTranscript, onA, onB, refusedOnB } from './asking-fixture.js'
import { annotating, limited, limits, listing, served } from './limits-fixture.js'
import { noIds, operationsOfB } from './operations-fixture.js'
import type { Rule } from './rule.js'

const source = 'Limits'

export const rules: readonly Rule[] = [
  {
    name: 'health, the registry and the batches are not limited: they declare no 429',
    source: 'Endpoints › Surface A',
    options: limits(1),
    async run({ ask }) {
      for (let time = 0; time < 3; time += 1) {
        expect((await ask(onA('/health', { key: null }))).status).to.equal(200)
        expect((await ask(onA('/health'))).status).to.equal(200)
        expect((await ask(onA('/v1/annotators'))).status).to.equal(200)
        expect((await ask(onA('/v1/batches/b'))).status).to.equal(501)
      }
      expect((await ask(annotating)).status).to.equal(200)
      limited(annotating, await ask(annotating), 10)
      expect((await ask(onA('/health'))).status).to.equal(200)
    },
  },
  ...operationsOfB.map(
    ({ name, ask: asked }): Rule => ({
      name: `${name} counts in the window of its key`,
      source: 'Limits › Surface B',
      options: limits(1),
      async run({ ask }) {
        expect((await ask(asked(noIds))).status).not.to.equal(429)
        refusedOnB(await ask(asked(noIds)), 429)
        refusedOnB(await ask(listing), 429)
      },
    }),
  ),
  {
    name: 'HEAD counts like GET, and its refusal has Retry-After',
    source: 'Limits › Surface B',
    options: limits(1),
    async run({ ask }) {
      expect((await ask({ ...listing, method: 'HEAD' })).status).to.equal(200)
      const { status, headers, text } = await ask({ ...listing, method: 'HEAD' })
      expect([status, headers['retry-after'], text]).to.deep.equal([429, '10', ''])
    },
  },
  {
    name: 'what is refused before the rate uses nothing up: path, method, key, permission',
    source: 'ambiguity: order of checks',
    options: limits(1),
    async run(trial) {
      const { reader: key } = trial.keys
      await trial.ask(onB('/none', { key }))
      await trial.ask(onB('/projects', { key, method: 'PUT' }))
      await trial.ask(onB('/projects', { key, method: 'OPTIONS' }))
      refusedOnB(await trial.ask(onB('/projects', { key, body: { name: 'P' } })), 403)
      await served(trial, { ...listing, key })
    },
  },
  {
    name: 'a key that was revoked while its window was used up finds it as it was',
    source,
    options: limits(1),
    async run(trial) {
      const { world } = trial.server
      const { key } = world.createKey()
      await served(trial, { ...listing, key })
      world.revoke(key)
      refusedOnB(await trial.ask({ ...listing, key }), 401)
      world.restore(key)
      limited(listing, await trial.ask({ ...listing, key }), 10)
    },
  },
  {
    name: 'a write that is refused for its rate stores nothing',
    source: 'Limits › Surface B',
    options: limits(2),
    async run(trial) {
      const { id } = await newProject(trial)
      await newTranscript(trial, id)
      refusedOnB(await trial.ask(onB('/projects', { body: { name: 'P' } })), 429)
      refusedOnB(await trial.ask(onB(`/projects/${id}/transcripts`, { body: {} })), 429)
      expect(trial.server.world.projects()).to.have.length(1)
      expect(trial.server.world.transcripts(id)).to.have.length(1)
    },
  },
  {
    name: 'without limits no number of requests is too many',
    source: 'Limits',
    run: (trial) => served(trial, listing, 50),
  },
  {
    name: 'a used-up window on one surface closes nothing on the other',
    source,
    options: limits(1),
    async run(trial) {
      await served(trial, annotating)
      limited(annotating, await trial.ask(annotating), 10)
      await served(trial, listing)
      limited(listing, await trial.ask(listing), 10)
    },
  },
]
