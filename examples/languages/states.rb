# Force each state, and assert on what was sent: svc mock --control -- ruby examples/languages/states.rb
require 'json'
require 'net/http'

def call(base, token, method, path, body = nil)
  url = URI(ENV.fetch(base) + path)
  headers = { 'authorization' => "Bearer #{ENV.fetch(token)}", 'content-type' => 'application/json' }
  Net::HTTP.start(url.host, url.port) { |http| http.send_request(method, url.request_uri, body&.to_json, headers) }
end
def annotation(*request) = call('SVC_BASE_URL', 'SVC_API_KEY', *request)
def workspace(*request) = call('SVC_PUBLIC_BASE_URL', 'SVC_API_KEY', *request)
def control(*request) = call('SVC_CONTROL_URL', 'SVC_CONTROL_TOKEN', *request)
def check(holds) = holds || raise('not as expected')

control('PUT', '/world', {
  faults: ['projects.list: limited; ms=60000', 'health: status; code=503', 'projects.create: lost'],
  annotators: [{ id: 'structural', outcome: 'poor' }]
})
check workspace('GET', '/projects').code == '429'
control('POST', '/clock', { advanceMs: 60_001 })
check workspace('GET', '/projects').code == '200'
check annotation('GET', '/health').code == '503'
check((workspace('POST', '/projects', { name: 'Lost' }) rescue 'lost') == 'lost')
answer = annotation('POST', '/v1/annotations', { annotator: 'structural', transcript: [] })
check JSON.parse(answer.body)['outcome'] == 'poor'
check JSON.parse(control('GET', '/requests?operation=projects.create').body)[0]['body'] == { 'name' => 'Lost' }
puts 'passed'
