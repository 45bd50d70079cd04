/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads columns of results into the memory layout of Apache Arrow, and exports them through Arrow's C data interface:
 * https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html
 */
#include <stdlib.h>
#include <string.h>

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

enum { ARROW_FLAG_NULLABLE = 2, BATCH_ROWS = 4096, FIRST_BYTES = 1 << 18 };

typedef struct {
  flx_property_key_t property;
  flx_type_t type;
  const char *name;
} flexsync_column_request_t;

/* One column as Arrow has it. */
typedef struct {
  char *name;
  flx_type_t type;
  /* Elements; bits for BOOL; none for text and bytes. */
  uint8_t *values;
  int64_t *offsets;
  uint8_t *bytes;
  size_t byte_count, byte_capacity;
  /* One bit for each row. */
  uint8_t *validity;
  int64_t null_count;
} column_t;

typedef struct flexsync_columns {
  atomic_int references;
  size_t row_count, row_capacity, column_count;
  column_t *columns;
} flexsync_columns_t;

typedef struct {
  const void *values;
  const int64_t *offsets;
  const uint8_t *bytes;
  const uint8_t *validity;
  int64_t null_count;
} flexsync_column_view_t;

/* ---- reading ---- */

/* The size of an element that the library writes, and of one in the column. */
static size_t read_size(flx_type_t type) {
  switch (type) {
    case FLX_TYPE_BOOL: return sizeof(bool);
    case FLX_TYPE_TIMESTAMP: return sizeof(flx_timestamp_t);
    case FLX_TYPE_FLOAT: return sizeof(float);
    case FLX_TYPE_DECIMAL: return sizeof(flx_decimal_t);
    case FLX_TYPE_OBJECT_ID: return sizeof(flx_object_id_t);
    case FLX_TYPE_UUID: return sizeof(flx_uuid_t);
    default: return sizeof(int64_t);
  }
}

static size_t kept_size(flx_type_t type) { return type == FLX_TYPE_TIMESTAMP ? sizeof(int64_t) : read_size(type); }

static bool is_text(flx_type_t type) { return type == FLX_TYPE_STRING || type == FLX_TYPE_BINARY; }

/* Decimals have no fixed scale, so they become text. */
static bool has_offsets(flx_type_t type) { return is_text(type) || type == FLX_TYPE_DECIMAL; }

static void set_bit(uint8_t *bits, size_t index, bool value) {
  if (value) bits[index / 8] |= (uint8_t)(1u << (index % 8));
  else bits[index / 8] &= (uint8_t)~(1u << (index % 8));
}

static void *grown(void *memory, size_t size) {
  void *result = realloc(memory, size ? size : 1);
  if (!result) abort();
  return result;
}

static void reserve_rows(flexsync_columns_t *all, size_t count) {
  if (count <= all->row_capacity) return;
  size_t capacity = all->row_capacity ? all->row_capacity : BATCH_ROWS;
  while (capacity < count) capacity *= 2;
  for (size_t i = 0; i < all->column_count; i++) {
    column_t *column = &all->columns[i];
    column->validity = grown(column->validity, capacity / 8 + 1);
    if (has_offsets(column->type)) {
      column->offsets = grown(column->offsets, (capacity + 1) * sizeof(int64_t));
      if (!all->row_capacity) column->offsets[0] = 0;
    } else {
      column->values = grown(column->values, column->type == FLX_TYPE_BOOL ? capacity / 8 + 1 : capacity * kept_size(column->type));
    }
  }
  all->row_capacity = capacity;
}

static void append_bytes(column_t *column, const void *bytes, size_t count) {
  if (column->byte_count + count > column->byte_capacity) {
    column->byte_capacity = (column->byte_count + count) * 2;
    column->bytes = grown(column->bytes, column->byte_capacity);
  }
  if (count) memcpy(column->bytes + column->byte_count, bytes, count);
  column->byte_count += count;
}

static void append_row(column_t *column, size_t row, const flx_column_t *from, size_t index) {
  bool is_valid = from->validity[index];
  char digits[FLX_DECIMAL_TEXT_SIZE];
  set_bit(column->validity, row, is_valid);
  column->null_count += !is_valid;
  switch (column->type) {
    case FLX_TYPE_STRING:
    case FLX_TYPE_BINARY:
      append_bytes(column, (const char *)from->bytes + from->offsets[index], (size_t)(from->offsets[index + 1] - from->offsets[index]));
      break;
    case FLX_TYPE_DECIMAL:
      if (!is_valid) break;
      flx_decimal_format(((const flx_decimal_t *)from->values)[index], digits);
      append_bytes(column, digits, strlen(digits));
      break;
    case FLX_TYPE_BOOL: set_bit(column->values, row, ((const bool *)from->values)[index]); break;
    case FLX_TYPE_TIMESTAMP: {
      flx_timestamp_t time = ((const flx_timestamp_t *)from->values)[index];
      ((int64_t *)column->values)[row] = time.seconds * 1000000 + time.nanoseconds / 1000;
      break;
    }
    default: {
      size_t size = kept_size(column->type);
      memcpy(column->values + row * size, (const char *)from->values + index * size, size);
    }
  }
  if (has_offsets(column->type)) column->offsets[row + 1] = (int64_t)column->byte_count;
}

/* Memory for a batch. */
static flx_column_t *make_batch(const flexsync_column_request_t *requests, size_t count) {
  flx_column_t *batch = calloc(count ? count : 1, sizeof *batch);
  if (!batch) abort();
  for (size_t i = 0; i < count; i++) {
    batch[i] = (flx_column_t){.struct_size = sizeof *batch, .property = requests[i].property, .type = requests[i].type};
    batch[i].validity = grown(NULL, BATCH_ROWS);
    memset(batch[i].validity, 1, BATCH_ROWS);
    if (is_text(requests[i].type)) {
      batch[i].offsets = grown(NULL, (BATCH_ROWS + 1) * sizeof(int64_t));
      batch[i].byte_capacity = FIRST_BYTES;
      batch[i].bytes = grown(NULL, FIRST_BYTES);
    } else {
      batch[i].values = grown(NULL, BATCH_ROWS * read_size(requests[i].type));
    }
  }
  return batch;
}

static void free_batch(flx_column_t *batch, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(batch[i].validity);
    free(batch[i].offsets);
    free(batch[i].bytes);
    free(batch[i].values);
  }
  free(batch);
}

static void enlarge_bytes(flx_column_t *batch, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!batch[i].bytes) continue;
    batch[i].byte_capacity *= 4;
    batch[i].bytes = grown(batch[i].bytes, batch[i].byte_capacity);
  }
}

static void flexsync_columns_release(flexsync_columns_t *all) {
  if (!all || atomic_fetch_sub(&all->references, 1) > 1) return;
  for (size_t i = 0; i < all->column_count; i++) {
    column_t *column = &all->columns[i];
    free(column->name);
    free(column->values);
    free(column->offsets);
    free(column->bytes);
    free(column->validity);
  }
  free(all->columns);
  free(all);
}

static flexsync_columns_t *retained(flexsync_columns_t *all) {
  atomic_fetch_add(&all->references, 1);
  return all;
}

static flx_status_t flexsync_columns_read(flx_results_t *results, const flexsync_column_request_t *requests, size_t count,
                                          flexsync_columns_t **out_columns, flx_error_t *error) {
  flexsync_columns_t *all = calloc(1, sizeof *all);
  if (!all) abort();
  atomic_init(&all->references, 1);
  all->column_count = count;
  all->columns = calloc(count ? count : 1, sizeof *all->columns);
  if (!all->columns) abort();
  for (size_t i = 0; i < count; i++) {
    all->columns[i].name = strdup(requests[i].name);
    all->columns[i].type = requests[i].type;
  }
  reserve_rows(all, 1);
  flx_column_t *batch = make_batch(requests, count);
  flx_status_t status;
  size_t written;
  while (true) {
    status = flx_results_read(results, all->row_count, BATCH_ROWS, batch, count, &written, error);
    if (status == FLX_STATUS_VALUE_TOO_LARGE) {
      enlarge_bytes(batch, count);
      continue;
    }
    if (status != FLX_STATUS_OK || !written) break;
    reserve_rows(all, all->row_count + written);
    for (size_t i = 0; i < count; i++)
      for (size_t row = 0; row < written; row++) append_row(&all->columns[i], all->row_count + row, &batch[i], row);
    all->row_count += written;
  }
  free_batch(batch, count);
  if (status == FLX_STATUS_OK) *out_columns = all;
  else flexsync_columns_release(all);
  return status;
}

static size_t flexsync_columns_row_count(const flexsync_columns_t *all) { return all->row_count; }

static flexsync_column_view_t flexsync_columns_view(const flexsync_columns_t *all, size_t index) {
  const column_t *column = &all->columns[index];
  return (flexsync_column_view_t){column->values, column->offsets, column->bytes, column->validity, column->null_count};
}

/* ---- the schema ---- */

static const char *format_of(flx_type_t type) {
  switch (type) {
    case FLX_TYPE_BOOL: return "b";
    case FLX_TYPE_BINARY: return "Z";
    case FLX_TYPE_TIMESTAMP: return "tsu:UTC";
    case FLX_TYPE_FLOAT: return "f";
    case FLX_TYPE_DOUBLE: return "g";
    case FLX_TYPE_OBJECT_ID: return "w:12";
    case FLX_TYPE_UUID: return "w:16";
    case FLX_TYPE_INT: return "l";
    default: return "U";
  }
}

static void release_schema(struct ArrowSchema *schema) {
  for (int64_t i = 0; i < schema->n_children; i++) {
    if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
    free(schema->children[i]);
  }
  free(schema->children);
  free((char *)schema->name);
  schema->release = NULL;
}

static void fill_schema(const flexsync_columns_t *all, struct ArrowSchema *schema) {
  *schema = (struct ArrowSchema){.format = "+s", .name = strdup(""), .n_children = (int64_t)all->column_count, .release = release_schema};
  schema->children = calloc(all->column_count ? all->column_count : 1, sizeof *schema->children);
  if (!schema->children) abort();
  for (size_t i = 0; i < all->column_count; i++) {
    struct ArrowSchema *child = grown(NULL, sizeof *child);
    *child = (struct ArrowSchema){.format = format_of(all->columns[i].type), .name = strdup(all->columns[i].name),
                                  .flags = ARROW_FLAG_NULLABLE, .release = release_schema};
    schema->children[i] = child;
  }
}

/* ---- the array ---- */

static void release_array(struct ArrowArray *array) {
  for (int64_t i = 0; i < array->n_children; i++) {
    if (array->children[i]->release) array->children[i]->release(array->children[i]);
    free(array->children[i]);
  }
  free(array->children);
  free(array->buffers);
  flexsync_columns_release(array->private_data);
  array->release = NULL;
}

/* An array that keeps the columns alive, with space for its buffers. */
static struct ArrowArray array_of(flexsync_columns_t *all, int64_t buffer_count) {
  struct ArrowArray array = {.length = (int64_t)all->row_count, .n_buffers = buffer_count, .release = release_array,
                             .private_data = retained(all)};
  array.buffers = calloc((size_t)buffer_count, sizeof *array.buffers);
  if (!array.buffers) abort();
  return array;
}

static struct ArrowArray column_array(flexsync_columns_t *all, const column_t *column) {
  static const uint8_t nothing[8];
  struct ArrowArray array = array_of(all, has_offsets(column->type) ? 3 : 2);
  array.null_count = column->null_count;
  array.buffers[0] = column->null_count ? column->validity : NULL;
  if (has_offsets(column->type)) {
    array.buffers[1] = column->offsets;
    array.buffers[2] = column->bytes ? column->bytes : nothing;
  } else {
    array.buffers[1] = column->values;
  }
  return array;
}

static void fill_array(flexsync_columns_t *all, struct ArrowArray *array) {
  *array = array_of(all, 1);
  array->n_children = (int64_t)all->column_count;
  array->children = calloc(all->column_count ? all->column_count : 1, sizeof *array->children);
  if (!array->children) abort();
  for (size_t i = 0; i < all->column_count; i++) {
    array->children[i] = grown(NULL, sizeof **array->children);
    *array->children[i] = column_array(all, &all->columns[i]);
  }
}

/* ---- the stream: one batch ---- */

typedef struct {
  flexsync_columns_t *columns;
  bool is_over;
} stream_t;

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  fill_schema(((stream_t *)stream->private_data)->columns, out);
  return 0;
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  stream_t *state = stream->private_data;
  memset(out, 0, sizeof *out);
  if (!state->is_over) fill_array(state->columns, out);
  state->is_over = true;
  return 0;
}

static const char *stream_error(struct ArrowArrayStream *stream) { return stream ? NULL : NULL; }

static void release_stream(struct ArrowArrayStream *stream) {
  stream_t *state = stream->private_data;
  flexsync_columns_release(state->columns);
  free(state);
  stream->release = NULL;
}

/* ---- exporting ---- */

static void *flexsync_columns_export_schema(flexsync_columns_t *all) {
  struct ArrowSchema *schema = grown(NULL, sizeof *schema);
  fill_schema(all, schema);
  return schema;
}

static void *flexsync_columns_export_array(flexsync_columns_t *all) {
  struct ArrowArray *array = grown(NULL, sizeof *array);
  fill_array(all, array);
  return array;
}

static void *flexsync_columns_export_stream(flexsync_columns_t *all) {
  struct ArrowArrayStream *stream = grown(NULL, sizeof *stream);
  stream_t *state = grown(NULL, sizeof *state);
  *state = (stream_t){retained(all), false};
  *stream = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, release_stream, state};
  return stream;
}

/* Consumers take what is in a capsule and clear `release`; otherwise it is released here. */
#define CAPSULE_DESTRUCTOR(kind, type, name)                             \
  static void destroy_##kind##_capsule(PyObject *capsule) {              \
    type *content = PyCapsule_GetPointer(capsule, name);                 \
    if (content->release) content->release(content);                     \
    free(content);                                                       \
  }
CAPSULE_DESTRUCTOR(schema, struct ArrowSchema, "arrow_schema")
CAPSULE_DESTRUCTOR(array, struct ArrowArray, "arrow_array")
CAPSULE_DESTRUCTOR(stream, struct ArrowArrayStream, "arrow_array_stream")

static void *flexsync_capsule_destructor(const char *name) {
  if (!strcmp(name, "arrow_schema")) return (void *)destroy_schema_capsule;
  if (!strcmp(name, "arrow_array")) return (void *)destroy_array_capsule;
  return (void *)destroy_stream_capsule;
}
