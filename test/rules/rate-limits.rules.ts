import { expect } from 'chai'
import { anAnnotation, newProject, newTranscript, onA, onB, refusedOnA, refusedOnB } from './asking-fixture.js'
import { noIds, operationsOfB } from './operations-fixture.js'
import type { Answered, Ask, Rule, Trial } from './rule.js'

const source = 'Limits'
const ofA = 'Limits › Surface A'
const windowMs = 10_000
const limits = (requests: number, length = windowMs) => ({ limits: { requests, windowMs: length } })

const listing = onB('/projects?limit=1')
const annotating = onA('/v1/annotations', { body: anAnnotation('structural') })

/** Refused for its rate, with the seconds to wait. */
const limited = ({ surface }: Ask, answer: Answered, seconds: number) => {
  if (surface === 'annotation') refusedOnA(answer, 429)
  else refusedOnB(answer, 429)
  expect(answer.headers['retry-after']).to.equal(String(seconds))
}

const served = async ({ ask }: Pick<Trial, 'ask'>, asked: Ask, times = 1) => {
  for (let time = 0; time < times; time += 1) {
    const { status, text } = await ask(asked)
    expect(status, text).to.equal(200)
  }
}

/** When a refused request comes in a window of ten seconds, and the seconds it is told to wait. */
const moments: readonly [number, number][] = [
  [0, 10],
  [1, 10],
  [999, 10],
  [1000, 9],
  [1001, 9],
  [4500, 6],
  [5000, 5],
  [9000, 1],
  [9001, 1],
  [9999, 1],
]

export const rules: readonly Rule[] = [
  ...[annotating, listing].flatMap((asked): Rule[] => {
    const surface = asked.surface === 'annotation' ? 'A' : 'B'
    return [
      {
        name: `on ${surface} a key is served so many requests in a window, and the next one is 429 with Retry-After`,
        source: `Limits › Surface ${surface}`,
        options: limits(3),
        async run(trial) {
          await served(trial, asked, 3)
          limited(asked, await trial.ask(asked), 10)
        },
      },
      {
        name: `on ${surface} Retry-After is right to the second at every moment of the window`,
        source: `Limits › Surface ${surface}`,
        options: limits(1),
        async run(trial) {
          await served(trial, asked)
          let now = 0
          for (const [moment, seconds] of moments) {
            await trial.advance(moment - now)
            now = moment
            limited(asked, await trial.ask(asked), seconds)
          }
        },
      },
      {
        name: `on ${surface} the window opens exactly at its end`,
        source: `Limits › Surface ${surface}`,
        options: limits(2),
        async run(trial) {
          await served(trial, asked, 2)
          await trial.advance(windowMs - 1)
          limited(asked, await trial.ask(asked), 1)
          await trial.advance(1)
          await served(trial, asked, 2)
          limited(asked, await trial.ask(asked), 10)
        },
      },
      {
        name: `on ${surface} the window is fixed: what came late in it does not last beyond its end`,
        source: `Limits › Surface ${surface}`,
        options: limits(3),
        async run(trial) {
          await served(trial, asked)
          await trial.advance(windowMs - 1)
          await served(trial, asked, 2)
          limited(asked, await trial.ask(asked), 1)
          await trial.advance(1)
          await served(trial, asked, 3)
          limited(asked, await trial.ask(asked), 10)
        },
      },
      {
        name: `on ${surface} refused requests use nothing up and move no window`,
        source: `Limits › Surface ${surface}`,
        options: limits(2),
        async run(trial) {
          await served(trial, asked, 2)
          for (let time = 0; time < 9; time += 1) {
            limited(asked, await trial.ask(asked), 10 - time)
            limited(asked, await trial.ask(asked), 10 - time)
            await trial.advance(1000)
          }
          await trial.advance(1000)
          await served(trial, asked, 2)
        },
      },
      {
        name: `on ${surface} a window is not shared between keys, of one workspace or of two`,
        source: `Limits › Surface ${surface}`,
        options: limits(1),
        async run(trial) {
          const { full, reader, foreign } = trial.keys
          for (const key of [full, reader, foreign]) await served(trial, { ...asked, key })
          for (const key of [full, reader, foreign]) limited(asked, await trial.ask({ ...asked, key }), 10)
        },
      },
      {
        name: `on ${surface} the windows of two keys begin and end apart`,
        source: `Limits › Surface ${surface}`,
        options: limits(1),
        async run(trial) {
          const { full, reader } = trial.keys
          await served(trial, { ...asked, key: full })
          await trial.advance(4000)
          await served(trial, { ...asked, key: reader })
          await trial.advance(6000)
          await served(trial, { ...asked, key: full })
          limited(asked, await trial.ask({ ...asked, key: reader }), 4)
        },
      },
    ]
  }),
  {
    name: 'Retry-After is never too short where the window is no whole number of seconds',
    source,
    options: limits(1, 1500),
    async run(trial) {
      await served(trial, listing)
      limited(listing, await trial.ask(listing), 2)
      await trial.advance(500)
      limited(listing, await trial.ask(listing), 1)
      await trial.advance(1)
      limited(listing, await trial.ask(listing), 1)
    },
  },
  {
    name: 'Retry-After is right in a window of an hour',
    source,
    options: limits(1, 3_600_000),
    async run(trial) {
      await served(trial, listing)
      limited(listing, await trial.ask(listing), 3600)
      await trial.advance(3_599_000)
      limited(listing, await trial.ask(listing), 1)
    },
  },
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
    name: 'HEAD counts like GET, and is told when to come again',
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
    source: 'reading: order of checks',
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
    reference: true,
    run: (trial) => served(trial, listing, 50),
  },
  {
    name: 'a used-up window on one surface closes nothing on the other',
    source: `${ofA}, Limits › Surface B`,
    options: limits(1),
    async run(trial) {
      await served(trial, annotating)
      limited(annotating, await trial.ask(annotating), 10)
      await served(trial, listing)
      limited(listing, await trial.ask(listing), 10)
    },
  },
]
