/**
 * The functions that a query may call, by dialect: they compute from their arguments and nothing else, and none makes a large value
 * of a small one. Whatever is not listed is refused.
 */
import type { Dialect } from './sql-tokens.ts';

const EVERYWHERE =
  'abs avg ceil ceiling coalesce concat concat_ws count cume_dist dense_rank exp first_value floor greatest json_extract lag ' +
  'last_value lead least length lower ltrim ln log max min mod nth_value ntile nullif percent_rank pi power pow rank replace round ' +
  'row_number rtrim sign sqrt substr substring sum trim upper';

const OWN: Readonly<Record<Dialect, string>> = {
  postgres:
    'age array_agg array_length array_position array_to_string bit_length bool_and bool_or btrim cardinality char_length ' +
    'character_length corr date_bin date_part date_trunc div every extract generate_series initcap isfinite jsonb_agg ' +
    'jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_extract_path_text jsonb_typeof json_array_length ' +
    'json_extract_path_text justify_days justify_hours justify_interval left like_escape localtimestamp log10 make_date make_interval ' +
    'mode now overlay overlaps percentile_cont percentile_disc position regexp_match regexp_matches regexp_replace regr_slope reverse right split_part ' +
    'starts_with stddev stddev_pop similar_to_escape stddev_samp string_agg string_to_array strpos timezone to_char to_date to_number to_timestamp ' +
    'translate trunc unnest variance var_pop var_samp width_bucket date_add date_subtract date float4 float8 int2 int4 int8 numeric text timestamp timestamptz acos asin atan atan2 cos sin tan radians degrees',
  mysql:
    'adddate addtime ascii bit_count cast char_length character_length convert curdate current_date current_timestamp date date_add ' +
    'date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear elt extract field find_in_set format from_days ' +
    'from_unixtime group_concat hour if ifnull instr interval isnull json_length json_unquote last_day lcase left locate log10 log2 ' +
    'makedate microsecond mid minute month monthname now period_add period_diff position quarter regexp_replace regexp_substr reverse ' +
    'right sec_to_time second stddev stddev_pop stddev_samp str_to_date strcmp subdate substring_index subtime time time_to_sec ' +
    'timediff timestamp timestampadd timestampdiff to_days truncate ucase unix_timestamp var_pop var_samp variance week weekday ' +
    'weekofyear year yearweek acos asin atan atan2 cos sin tan radians degrees',
  sqlite:
    'bm25 cast char date datetime group_concat highlight ifnull iif instr json_array_length json_each json_group_array json_object json_type julianday like glob ' +
    'likely match snippet string_agg strftime time timediff total trunc typeof unicode unixepoch unlikely acos asin atan atan2 cos ' +
    'sin tan radians degrees log10 log2 current_date current_time current_timestamp',
};

/** In lower case. */
export const allowedFunctions = (dialect: Dialect, more: readonly string[] = []): ReadonlySet<string> =>
  new Set([...EVERYWHERE.split(' '), ...OWN[dialect].split(' '), ...more.map((name) => name.toLowerCase())]);
