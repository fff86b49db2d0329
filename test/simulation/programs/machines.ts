import { createMachine } from '../machine.js'
import { brokenEntries, brokenStorage } from '../promises.js'
import { drawTranscripts } from '../transcripts.js'
import type { DrawScenario, Program } from './program.js'
import { uploaderOf } from './upload-all.js'

const minute = 60_000

/**
 * Programs around `uploadAll` with one ledger in a folder that several machines share: a machine is lost for good, and its
 * program goes on at another one with another clock; two begin at once; one stands still, is replaced, and wakes up again.
 */
export const drawMachines: DrawScenario = ({ scheduler, choices, service }) => {
  const aheadMs = () => choices.pick([0, 2_000, -2_000, minute, -minute] as const, 0.4)
  const first = createMachine('m1', choices, aheadMs())
  first.isDiskShared = true
  const machines = [first, ...['m2', 'm3', 'm4'].map((name) => createMachine(name, choices, aheadMs(), first.disk))]
  const job = { transcripts: drawTranscripts(choices), ledger: '/ledger', concurrency: 1 + choices.oneOf(3, 0.3) }
  const names = ['first', 'second', 'third'].slice(0, choices.pick([2, 1, 3] as const, 0.4))
  const mayBePaused = choices.pick([true, false], 0.7)
  const unexpected: string[] = []
  const unknown = new Set<string>()
  const programs = names.map((name, i): Program => {
    const runs = machines.map((machine) => uploaderOf({ ...job, name, machine }, service, unexpected, unknown))
    let at = i
    const present = () => runs[at % runs.length] as Program
    return {
      name,
      mayBePaused,
      get machine() {
        return present().machine
      },
      run: (own, stop) => present().run(own, stop),
      move() {
        at++
        scheduler.note(`${name}: its machine is lost; it moves to ${present().machine.name}`)
      },
    }
  })
  return {
    programs,
    machines,
    async broken(ends) {
      const areAllDone = programs.every((each) => ends.get(each)?.state === 'done')
      const wanted = [{ ...job, machine: first }]
      const named = Math.max(...programs.map((each) => ends.get(each)?.namedAsLeft ?? 0))
      const mayBeTwice = scheduler.killsAfterPause > 0 ? () => true : (content: string) => unknown.has(content)
      return [
        ...unexpected,
        ...brokenStorage(service, wanted, areAllDone, mayBeTwice),
        ...(scheduler.killsAfterPause > 0 ? [] : await brokenEntries(service, scheduler, wanted, areAllDone, named)),
      ]
    },
  }
}
