import type { FieldsByPath } from '@svc/checks'
import type { AnnotatorInfo, Health, Project, Transcript } from '@svc/client'

export interface DocumentKind {
  by: readonly string[]
  /** With `rows`: the fields of each record. A function loads the schema that declares them, with the nested ones. */
  fields: readonly string[] | (() => Promise<FieldsByPath>)
  /** By command: the flag that prints this document. */
  flag?: Readonly<Record<string, string>>
  inside?: FieldsByPath
  /** The field that holds the records of a list. */
  rows?: string
  /** One object a line. `--fields` does not apply to a `summary`. */
  lines?: true | 'summary'
  /** The service may add fields, and they are printed. */
  open?: true
}

export async function fieldsOf({
  fields,
  inside = {},
}: DocumentKind): Promise<{ own: string[]; inside: FieldsByPath }> {
  if (typeof fields !== 'function') return { own: [...fields], inside }
  const { '': own, ...nested } = await fields()
  return { own: [...(own ?? [])].filter((name) => name !== 'schema'), inside: nested }
}

type Names<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Names<Rest> : Text

const names = <Text extends string>(text: Text) => text.split(' ') as Names<Text>[]

/** The fields of a record of the service, as its type declares them: a list with fewer or others does not compile. */
const fieldsIn =
  <Declared>() =>
  <Text extends string>(
    text: Text &
      ([keyof Declared] extends [Names<Text>] ? unknown : never) &
      ([Names<Text>] extends [keyof Declared] ? unknown : never),
  ) =>
    names<Text>(text)

const project = fieldsIn<Project>()('id name transcript_count latest_transcript_at created_at updated_at')
export const transcriptFields = fieldsIn<Transcript>()(
  'id name model_name language source_system external_id external_user_id metadata turn_count user_turn_count assistant_turn_count total_token_count source_timestamp created_at processing_status',
)
const origin = names('path record name')
const uploadItem = names(
  'key state id ids processing_status refused_with candidates name turn_count external_id path record occurrence part project base_url sent_at at run events',
)

/** Every kind of document that `--json` prints, by its `schema`. A name never changes its meaning. */
const declared = {
  'svc/upload@1': {
    by: ['upload'],
    lines: true,
    fields: [
      'result',
      ...origin,
      ...names('key id transcript losses candidates error format turn_count redacted changed_from same_as'),
    ],
  },
  'svc/upload-plan@1': {
    by: ['upload'],
    flag: { upload: 'dryRun' },
    lines: 'summary',
    fields: names(
      'project planned already_uploaded skipped_duplicate skipped_changed changed invalid skipped_files other_shards',
    ),
  },
  'svc/upload-summary@1': {
    by: ['upload'],
    lines: 'summary',
    fields: names(
      'project uploaded already_uploaded from_same_record failed unknown earlier_unknown invalid not_sent stored_not_analysed other_shards changed skipped_changed skipped_duplicate skipped_files',
    ),
  },
  'svc/upload-item@1': {
    by: ['uploads list', 'uploads show', 'uploads retry'],
    lines: true,
    fields: uploadItem,
  },
  'svc/upload-run@1': {
    by: ['uploads list'],
    flag: { 'uploads list': 'runs' },
    lines: true,
    fields: names('run project sent done refused unsent unknown started_at ended_at'),
  },
  'svc/upload-reconciled@1': {
    by: ['uploads reconcile'],
    lines: true,
    fields: ['key', ...origin, 'project', 'result', 'id', 'status', 'candidates'],
  },
  'svc/reconcile-summary@1': {
    by: ['uploads reconcile'],
    lines: 'summary',
    fields: ['done', 'unsent', 'unknown', 'open', 'other_addresses', 'identified', 'ambiguous'],
  },
  'svc/uploads-summary@1': { by: ['uploads list'], lines: 'summary', fields: ['total', 'shown'] },
  'svc/uploads-change-summary@1': {
    by: ['uploads retry', 'uploads forget'],
    lines: 'summary',
    fields: ['total', 'changed'],
  },
  'svc/upload-forgotten@1': { by: ['uploads forget'], lines: true, fields: ['key', 'ids'] },
  'svc/uploads-rebuilt@1': {
    by: ['uploads rebuild'],
    fields: names('project ledger seen stamped added copies unidentified ambiguous complete'),
  },
  'svc/init@1': {
    by: ['init'],
    fields: names('profile file key key_status base_url public_base_url project policy annotator'),
    inside: { key_status: 'any' },
  },
  'svc/transcripts-pulled@1': {
    by: ['transcripts pull'],
    fields: names('project folder filters written kept unread complete'),
    inside: { filters: 'any' },
  },
  'svc/annotation@1': {
    by: ['annotate', 'check'],
    flag: { check: 'dryRun' },
    lines: true,
    fields: ['result', ...origin, 'losses', 'annotation', 'places', 'error', 'redacted'],
  },
  'svc/check-plan@1': {
    by: ['check'],
    flag: { check: 'dryRun' },
    lines: 'summary',
    fields: names('annotator planned messages requests reads cached tokens_in cost not_selected unread'),
    inside: { requests: ['least', 'most'], reads: ['list', 'single'], cost: ['currency', 'tokens_in', 'max'] },
  },
  'svc/check@2': {
    by: ['check', 'report merge'],
    fields: async () => (await import('@svc/checks')).reportFields(),
  },
  'svc/label-sample@1': {
    by: ['report sample'],
    fields: names('id out failed passed'),
    inside: { failed: ['total', 'drawn'], passed: ['total', 'drawn'] },
  },
  'svc/comparison@1': {
    by: ['report compare'],
    fields: async () => (await import('@svc/checks')).comparisonFields(),
  },
  'svc/convert@1': {
    by: ['convert'],
    lines: true,
    fields: [...origin, 'format', 'turns', 'losses', 'body'],
  },
  'svc/convert-summary@1': { by: ['convert'], lines: 'summary', fields: ['to', 'transcripts', 'turns', 'out'] },
  'svc/detect@1': {
    by: ['convert'],
    flag: { convert: 'detect' },
    lines: true,
    fields: ['path', 'format', 'product', 'transcripts', 'turns', 'losses'],
  },
  'svc/session@1': {
    by: ['convert'],
    flag: { convert: 'listSessions' },
    lines: true,
    fields: ['tool', 'path', 'started', 'last', 'cwd', 'title'],
  },
  'svc/projects@1': { by: ['projects list'], rows: 'data', open: true, fields: project },
  'svc/project@1': { by: ['projects get', 'projects create'], open: true, fields: project },
  'svc/transcripts@1': { by: ['transcripts list'], rows: 'data', open: true, fields: transcriptFields },
  'svc/transcript@1': {
    by: ['transcripts get', 'transcripts read'],
    open: true,
    fields: [...transcriptFields, 'turns', 'annotations'],
  },
  'svc/annotators@1': {
    by: ['annotators list'],
    rows: 'annotators',
    open: true,
    fields: fieldsIn<AnnotatorInfo>()('id annotator_version taxonomy_version description'),
  },
  'svc/exit-code@1': { by: ['explain'], fields: ['code', 'meaning', 'next', 'kinds', 'about'] },
  'svc/health@1': { by: ['health'], open: true, fields: fieldsIn<Health>()('status substrate') },
  'svc/auth-login@1': {
    by: ['auth login'],
    fields: ['key', 'form', 'profile', 'file', 'surfaces', 'key_status'],
  },
  'svc/auth-status@1': { by: ['auth status'], fields: ['profile', 'surfaces'] },
  'svc/auth-logout@1': { by: ['auth logout'], fields: ['profile', 'file', 'removed'] },
  'svc/settings@1': { by: ['config list'], fields: ['settings'] },
  'svc/setting@1': { by: ['config get', 'config set'], fields: ['name', 'value', 'origin', 'file'] },
  'svc/config-path@1': { by: ['config path'], fields: ['path'] },
  'svc/config-trust@1': { by: ['config trust'], fields: ['path', 'sha256', 'settings'] },
  'svc/doctor@1': { by: ['doctor'], rows: 'checks', fields: ['name', 'state', 'message', 'hint', 'exit'] },
  'svc/contract@1': {
    by: ['contract'],
    fields: names('at base_url public_base_url project requests created poll_ms ambiguities rules drift'),
    inside: {
      created: ['projects', 'transcripts', 'annotations'],
      ambiguities: 'any',
      rules: ['name', 'source', 'result', 'reason', 'exchanges'],
      drift: ['verdict', 'compared'],
    },
  },
  'svc/mock-check@1': {
    by: ['mock'],
    flag: { mock: '--check' },
    fields: names('requests unchecked dropped violations'),
  },
  'svc/mock-request@1': {
    by: ['mock'],
    flag: { mock: '--verbose' },
    lines: true,
    fields: names(
      'id edge method surface path query headers operation status faults ran delivery body bodyBytes bodiesDropped answer problems isUnchecked key keyName workspace error at durationMs',
    ),
  },
  'svc/mock@1': {
    by: ['mock'],
    fields: names(
      'SVC_API_KEY SVC_ANNOTATION_API_KEY SVC_WORKSPACE_API_KEY SVC_BASE_URL SVC_PUBLIC_BASE_URL SVC_PROJECT SVC_STATE_DIR SVC_CACHE_DIR SVC_CONFIG SVC_CONTROL_URL SVC_CONTROL_TOKEN NODE_EXTRA_CA_CERTS SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE',
    ),
  },
} as const satisfies Readonly<Record<string, DocumentKind>>

export const documents: Readonly<Record<string, DocumentKind>> = declared

type Declared = typeof declared

/** A document that a command composes: a field that is not declared does not compile. */
export type DocumentFields<Schema extends keyof Declared> = {
  [Name in Declared[Schema]['fields'] extends readonly (infer Field extends string)[] ? Field : string]?: unknown
}

export type Schema = keyof Declared
