import { type ExitCode, exit } from '../../exit.js'

export interface ExitCodeWords {
  code: ExitCode
  meaning: string
  next: string
  /** The values of `error.kind` in JSON that end with this code. */
  kinds: readonly string[]
}

export const exitCodes: readonly ExitCodeWords[] = [
  { code: exit.ok, meaning: 'Done; the gate of svc check passed.', next: 'Nothing to do.', kinds: [] },
  {
    code: exit.bug,
    meaning: 'A bug in svc, or an unexpected local failure, such as a full disk.',
    next: 'Read the message; run the command again with --debug; report it if svc is at fault.',
    kinds: ['bug', 'cli'],
  },
  {
    code: exit.usage,
    meaning: 'The command line is wrong. Nothing was sent.',
    next: 'Run the command with --help.',
    kinds: ['usage'],
  },
  {
    code: exit.input,
    meaning:
      'An input file, the settings or a certificate cannot be used. Nothing was sent. svc check ends an unreadable transcript with 101.',
    next: 'Correct the place that the message names. `svc doctor` checks the settings.',
    kinds: ['input', 'missing_base_url', 'invalid_base_url', 'invalid_id', 'invalid_input', 'missing_package'],
  },
  {
    code: exit.auth,
    meaning: 'No key is set, or the service refused it (401, 403).',
    next: '`svc auth status` shows each key, its source, and whether the service accepts it.',
    kinds: ['missing_key', 'invalid_key', 'authentication', 'permission'],
  },
  {
    code: exit.notFound,
    meaning: 'The project, transcript or annotator does not exist (404).',
    next: 'List the ids: `svc projects list`, `svc transcripts list`, `svc annotators list`.',
    kinds: ['not_found'],
  },
  {
    code: exit.refused,
    meaning:
      'The service refused the request, or sent an unexpected answer (400, 413, 422, 501, another 4xx, a redirect, a list that it does not give whole).',
    next: 'Correct what the service names; `--debug` shows the requests.',
    kinds: ['invalid_request', 'too_large', 'not_implemented', 'unexpected'],
  },
  {
    code: exit.someFailed,
    meaning: 'Many items: the run finished, and some of them failed for good.',
    next: 'Correct the items that the output names, then run the same command again (all shards, if there are any): it sends only what is not stored.',
    kinds: [],
  },
  {
    code: exit.unknownWrite,
    meaning: 'The result of a write is unknown: it was sent, but no answer says whether it is stored.',
    next: 'Do not send it again blindly. `svc uploads reconcile` searches for it; so does the next `svc upload`.',
    kinds: ['unknown_write'],
  },
  {
    code: exit.temporary,
    meaning:
      'A temporary failure: network, time-out, 429 or 5xx of anything but a write, a list whose items moved while it was read.',
    next: 'Run the same command again later; it continues where it stopped.',
    kinds: ['connection', 'rate_limited', 'unavailable', 'temporary'],
  },
  {
    code: exit.gateFailed,
    meaning:
      'svc check: the gate failed. svc mock --check: requests depart from the interface. svc contract --against: the service changed.',
    next: 'Read the findings, and fix their cause.',
    kinds: [],
  },
  {
    code: exit.notJudged,
    meaning:
      'svc check: nothing failed, but too few transcripts could be judged. svc report compare --exit-code: nobody can tell if it is worse. svc mock --check: the server got no request.',
    next: 'Read the reason beside each transcript or comparison, and fix it.',
    kinds: [],
  },
  {
    code: exit.interrupted,
    meaning: 'Stopped by SIGINT (Ctrl-C).',
    next: 'Run the same command again to continue; the upload ledger is consistent.',
    kinds: ['interrupted'],
  },
  {
    code: exit.terminated,
    meaning: 'Stopped by SIGTERM.',
    next: 'Run the same command again to continue; the upload ledger is consistent.',
    kinds: ['interrupted'],
  },
]
