import { annotating, limited, limits, listing, served, windowMs } from './limits-fixture.js'
import type { Rule } from './rule.js'

const source = 'Limits'

/** When a refused request comes in a window of ten seconds, and the seconds in its Retry-After. */
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
]
