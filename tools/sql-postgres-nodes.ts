/** What of the grammar of Postgres has a place in a query: node types and their fields, operators, types. */

/**
 * Node types with their fields. `name:Type` is a field whose value stands there without its type. A field that is not named must
 * be absent or false. There is no `intoClause`, no `lockingClause`, no function with options.
 */
const NODES: Readonly<Record<string, string>> = {
  SelectStmt:
    'distinctClause targetList fromClause whereClause groupClause groupDistinct havingClause windowClause valuesLists sortClause ' +
    'limitOffset limitCount limitOption withClause:WithClause op all larg:SelectStmt rarg:SelectStmt',
  WithClause: 'ctes recursive',
  CommonTableExpr: 'ctename aliascolnames ctematerialized ctequery',
  ResTarget: 'name val',
  RangeVar: 'schemaname relname inh relpersistence alias:Alias',
  Alias: 'aliasname colnames',
  RangeSubselect: 'lateral subquery alias:Alias',
  RangeFunction: 'lateral ordinality functions alias:Alias',
  JoinExpr: 'jointype isNatural larg rarg usingClause quals alias:Alias',
  ColumnRef: 'fields',
  A_Star: '',
  A_Const: 'ival:Integer fval:Float boolval:Boolean sval:String isnull',
  A_Expr: 'kind name lexpr rexpr rexpr_list_start rexpr_list_end',
  A_ArrayExpr: 'elements list_start list_end',
  A_Indirection: 'arg indirection',
  A_Indices: 'is_slice lidx uidx',
  BoolExpr: 'boolop args',
  BooleanTest: 'arg booltesttype',
  NullTest: 'arg nulltesttype',
  CaseExpr: 'arg args defresult',
  CaseWhen: 'expr result',
  CoalesceExpr: 'args',
  MinMaxExpr: 'op args',
  SubLink: 'subLinkType testexpr operName subselect',
  FuncCall: 'funcname args agg_order agg_filter over:WindowDef agg_within_group agg_star agg_distinct func_variadic funcformat',
  WindowDef: 'name refname partitionClause orderClause frameOptions startOffset endOffset',
  SortBy: 'node sortby_dir sortby_nulls',
  GroupingSet: 'kind content',
  GroupingFunc: 'args',
  TypeCast: 'arg typeName:TypeName',
  TypeName: 'names typmods typemod arrayBounds',
  SQLValueFunction: 'op typmod',
  RowExpr: 'args row_format',
  ParamRef: 'number',
  List: 'items',
  String: 'sval',
  Integer: 'ival',
  Float: 'fval',
  Boolean: 'boolval',
};

/** By node type: each field with the type of its value, where that is not said by the value. */
export const NODE_FIELDS: ReadonlyMap<string, ReadonlyMap<string, string | undefined>> = new Map(
  Object.entries(NODES).map(([type, fields]) => [
    type,
    new Map(
      [...fields.split(' ').filter(Boolean), 'location'].map((field): [string, string | undefined] => {
        const [name = '', inner] = field.split(':');
        return [name, inner];
      }),
    ),
  ]),
);

export const TYPES = new Set(
  (
    'bool boolean int2 int4 int8 smallint int integer bigint float4 float8 real numeric decimal text varchar char bpchar date time timetz ' +
    'timestamp timestamptz interval uuid json jsonb'
  ).split(' '),
);
export const OPERATORS = new Set(
  '= <> != < > <= >= + - * / % ^ || ~ ~* !~ !~* ~~ !~~ ~~* !~~* -> ->> #> #>> @> <@ ? && @@ << >> & |'.split(' '),
);
export const VALUE_FUNCTIONS = /^SVFOP_(?:CURRENT_DATE|CURRENT_TIME|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP)(?:_N)?$/;
export const SYSTEM_COLUMNS = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']);
