import { Migration } from '@mikro-orm/migrations';

/**
 * Korea's holidays, one row for each version of a year (D24): public and substitute ones, weekends are none. The newest version counts; the
 * ones before it tell what flows knew. Of no store; only the owner replaces a year.
 */
export class Holidays0035 extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE holiday_year (
      year smallint NOT NULL CHECK (year BETWEEN 1900 AND 9998), version integer NOT NULL CHECK (version > 0), days jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL, PRIMARY KEY (year, version), CHECK (jsonb_typeof(days) = 'object' AND days <> '{}'))`);
    this.addSql('GRANT SELECT ON holiday_year TO sangjeom_app');
    for (const [year, days] of Object.entries(HOLIDAYS))
      this.addSql(`INSERT INTO holiday_year VALUES (${year}, 1, '${JSON.stringify(days)}', '2026-11-25T00:00:00+09:00')`);
  }
}

/**
 * The calendars of the Korea AeroSpace Administration for 2026 and 2027, with the two changes of the Act on Public Holidays of 2026: 노동절
 * and 제헌절 are holidays again, both with substitutes. `test/units/flows/holidays.test.ts` computes them anew from the rules.
 */
export const HOLIDAYS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  2026: {
    '2026-01-01': '1월 1일',
    '2026-02-16': '설날 전날',
    '2026-02-17': '설날',
    '2026-02-18': '설날 다음 날',
    '2026-03-01': '3·1절',
    '2026-03-02': '대체공휴일(3·1절)',
    '2026-05-01': '노동절',
    '2026-05-05': '어린이날',
    '2026-05-24': '부처님 오신 날',
    '2026-05-25': '대체공휴일(부처님 오신 날)',
    '2026-06-03': '전국동시지방선거',
    '2026-06-06': '현충일',
    '2026-07-17': '제헌절',
    '2026-08-15': '광복절',
    '2026-08-17': '대체공휴일(광복절)',
    '2026-09-24': '추석 전날',
    '2026-09-25': '추석',
    '2026-09-26': '추석 다음 날',
    '2026-10-03': '개천절',
    '2026-10-05': '대체공휴일(개천절)',
    '2026-10-09': '한글날',
    '2026-12-25': '기독탄신일',
  },
  2027: {
    '2027-01-01': '1월 1일',
    '2027-02-06': '설날 전날',
    '2027-02-07': '설날',
    '2027-02-08': '설날 다음 날',
    '2027-02-09': '대체공휴일(설날)',
    '2027-03-01': '3·1절',
    '2027-05-01': '노동절',
    '2027-05-03': '대체공휴일(노동절)',
    '2027-05-05': '어린이날',
    '2027-05-13': '부처님 오신 날',
    '2027-06-06': '현충일',
    '2027-07-17': '제헌절',
    '2027-07-19': '대체공휴일(제헌절)',
    '2027-08-15': '광복절',
    '2027-08-16': '대체공휴일(광복절)',
    '2027-09-14': '추석 전날',
    '2027-09-15': '추석',
    '2027-09-16': '추석 다음 날',
    '2027-10-03': '개천절',
    '2027-10-04': '대체공휴일(개천절)',
    '2027-10-09': '한글날',
    '2027-10-11': '대체공휴일(한글날)',
    '2027-12-25': '기독탄신일',
    '2027-12-27': '대체공휴일(기독탄신일)',
  },
};
