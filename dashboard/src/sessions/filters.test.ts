import { describe, expect, it } from 'vitest';
import { readFilters, sessionsPath } from './filters';

const NOW = Date.UTC(2026, 0, 2, 12);

describe('filters in the URL', () => {
  it('are parsed', () => {
    const search = {
      status: ['failed', 'timed_out'],
      type: 'PodFailure',
      chain: ['a', 'b'],
      range: '24h',
      q: 'oom',
    };
    expect(readFilters(search)).toEqual({
      status: ['failed', 'timed_out'],
      type: ['PodFailure'],
      chain: ['a', 'b'],
      range: '24h',
      q: 'oom',
    });
  });

  it('are ignored if they are invalid', () => {
    const search = {
      status: ['failed', 'burning'],
      range: 'forever',
      from: 'yesterday',
      to: '',
      q: '',
      page: '7',
    };
    expect(readFilters(search)).toEqual({ status: ['failed'] });
  });
});

describe('API path of the list', () => {
  it('requests one page without filters', () => {
    expect(sessionsPath({}, 100, null, NOW)).toBe('/api/v1/sessions?limit=100');
  });

  it('repeats parameters with several values and includes the cursor', () => {
    const filters = readFilters({ status: ['failed', 'timed_out'], type: 'A&B', chain: 'c', q: 'disk full' });
    expect(sessionsPath(filters, 100, '12_3', NOW)).toBe(
      '/api/v1/sessions?limit=100&cursor=12_3&status=failed&status=timed_out&alert_type=A%26B&chain_id=c&q=disk+full',
    );
  });

  it('computes a range from now', () => {
    expect(sessionsPath({ range: '1h' }, 1, null, NOW)).toContain(`from_us=${(NOW - 3_600_000) * 1000}`);
  });

  it('uses exact local times instead of the range', () => {
    const path = sessionsPath(
      { range: '1h', from: '2026-01-01T08:00', to: '2026-01-01T09:30' },
      1,
      null,
      NOW,
    );
    const local = (hours: number, minutes: number) => new Date(2026, 0, 1, hours, minutes).getTime() * 1000;
    expect(path).toBe(`/api/v1/sessions?limit=1&from_us=${local(8, 0)}&to_us=${local(9, 30)}`);
  });
});
