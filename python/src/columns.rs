//! Columns of results.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float32Builder, Int32Builder, Int64Builder, ListBuilder, StringBuilder,
    StructBuilder,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Float32Array, Int32Array, Int64Array, StringArray,
};
use arrow_schema::{DataType, Field, Fields, SchemaRef};
use pyo3::prelude::*;
use webstrata::metadata::{Metadata, Sourced};
use webstrata::output::RecordPart;
use webstrata::{Link, Post, Record};

use crate::errors::DataError;

/// Columns that are being gathered, in their order.
#[derive(Default)]
pub(crate) struct Columns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    pub(crate) fn push(&mut self, name: &str, array: ArrayRef) {
        self.fields.push(Field::new(name, array.data_type().clone(), true));
        self.arrays.push(array);
    }

    pub(crate) fn pass(&mut self, field: &Field, array: ArrayRef) {
        self.fields.push(field.clone());
        self.arrays.push(array);
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name() == name)
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::new(arrow_schema::Schema::new(self.fields.clone()))
    }

    pub(crate) fn batch(self, rows: usize) -> PyResult<arrow_array::RecordBatch> {
        crate::tables::batch(self.schema(), self.arrays, rows)
    }
}

/// Arrow counts the bytes of a column in 31 bits.
const MOST: usize = i32::MAX as usize;

fn fits(sizes: impl Iterator<Item = usize>) -> PyResult<()> {
    let sum: usize = sizes.sum();
    if sum <= MOST {
        return Ok(());
    }
    Err(DataError::new_err(
        "a column of the result has more than 2 GiB; give the table in smaller batches",
    ))
}

pub(crate) fn texts<'a>(
    values: impl Iterator<Item = Option<&'a str>> + Clone,
) -> PyResult<ArrayRef> {
    fits(values.clone().flatten().map(str::len))?;
    Ok(Arc::new(StringArray::from_iter(values)))
}

pub(crate) fn bytes<'a>(
    values: impl Iterator<Item = Option<&'a [u8]>> + Clone,
) -> PyResult<ArrayRef> {
    fits(values.clone().flatten().map(<[u8]>::len))?;
    Ok(Arc::new(BinaryArray::from_iter(values)))
}

pub(crate) fn integers(values: impl Iterator<Item = Option<i32>>) -> ArrayRef {
    Arc::new(values.collect::<Int32Array>())
}

pub(crate) fn longs(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<Int64Array>())
}

pub(crate) fn numbers(values: impl Iterator<Item = Option<f32>>) -> ArrayRef {
    Arc::new(values.collect::<Float32Array>())
}

pub(crate) fn flags(values: impl Iterator<Item = Option<bool>>) -> ArrayRef {
    Arc::new(values.collect::<BooleanArray>())
}

pub(crate) fn count(number: u32) -> Option<i32> {
    i32::try_from(number).ok()
}

/// Lists of texts; a row that is none is null.
pub(crate) fn lists<'a>(
    values: impl Iterator<Item = Option<&'a Vec<String>>> + Clone,
) -> PyResult<ArrayRef> {
    fits(values.clone().flatten().flatten().map(String::len))?;
    let mut list = ListBuilder::new(StringBuilder::new());
    for value in values {
        value.into_iter().flatten().for_each(|one| list.values().append_value(one));
        list.append(value.is_some());
    }
    Ok(Arc::new(list.finish()))
}

/// The column of a part of records.
pub(crate) fn part<'a>(
    part: RecordPart,
    records: impl Iterator<Item = Option<&'a Record>> + Clone,
) -> PyResult<ArrayRef> {
    match part {
        RecordPart::Markdown => texts(records.map(|record| record?.markdown.as_deref())),
        RecordPart::Html => texts(records.map(|record| record?.html.as_deref())),
        RecordPart::Metadata => metadata(records.map(|record| record?.metadata.as_ref())),
        RecordPart::Links => links(records.map(|record| record?.links.as_ref())),
        RecordPart::Blocks => blocks(records),
        RecordPart::Posts => posts(records),
    }
}

type Value = fn(&Metadata) -> &Option<Sourced>;
type Values = fn(&Metadata) -> &Vec<Sourced>;

const VALUES: [(&str, Value); 10] = [
    ("title", |metadata| &metadata.title),
    ("published", |metadata| &metadata.published),
    ("modified", |metadata| &metadata.modified),
    ("site", |metadata| &metadata.site),
    ("description", |metadata| &metadata.description),
    ("language", |metadata| &metadata.language),
    ("canonical", |metadata| &metadata.canonical),
    ("image", |metadata| &metadata.image),
    ("licence", |metadata| &metadata.licence),
    ("page_type", |metadata| &metadata.page_type),
];

const LISTS: [(&str, Values); 2] =
    [("authors", |metadata| &metadata.authors), ("tags", |metadata| &metadata.tags)];

fn metadata<'a>(values: impl Iterator<Item = Option<&'a Metadata>> + Clone) -> PyResult<ArrayRef> {
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    for (name, value) in VALUES {
        let column = texts(
            values.clone().map(|one| value(one?).as_ref().map(|found| found.value.as_str())),
        )?;
        fields.push(Field::new(name, DataType::Utf8, true));
        arrays.push(column);
    }
    for (name, value) in LISTS {
        let mut list = ListBuilder::new(StringBuilder::new());
        for one in values.clone() {
            let found = one.map(value);
            found.into_iter().flatten().for_each(|found| list.values().append_value(&found.value));
            list.append(found.is_some());
        }
        let list = list.finish();
        fields.push(Field::new(name, arrow_array::Array::data_type(&list).clone(), true));
        arrays.push(Arc::new(list));
    }
    let valid = arrow_buffer::NullBuffer::from_iter(values.map(|one| one.is_some()));
    let made = arrow_array::StructArray::try_new(fields.into(), arrays, Some(valid));
    made.map(|made| Arc::new(made) as ArrayRef)
        .map_err(|error| DataError::new_err(error.to_string()))
}

fn text_field(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

/// Where the parts of a row go; their types are those of the fields that the builder was made of.
struct Parts<'a>(&'a mut StructBuilder, usize);

impl Parts<'_> {
    fn text(&mut self, value: Option<&str>) {
        if let Some(builder) = self.0.field_builder::<StringBuilder>(self.1) {
            builder.append_option(value);
        }
        self.1 += 1;
    }

    fn flag(&mut self, value: Option<bool>) {
        if let Some(builder) = self.0.field_builder::<BooleanBuilder>(self.1) {
            builder.append_option(value);
        }
        self.1 += 1;
    }

    fn integer(&mut self, value: Option<i32>) {
        if let Some(builder) = self.0.field_builder::<Int32Builder>(self.1) {
            builder.append_option(value);
        }
        self.1 += 1;
    }

    fn long(&mut self, value: Option<i64>) {
        if let Some(builder) = self.0.field_builder::<Int64Builder>(self.1) {
            builder.append_option(value);
        }
        self.1 += 1;
    }

    fn number(&mut self, value: f32) {
        if let Some(builder) = self.0.field_builder::<Float32Builder>(self.1) {
            builder.append_value(value);
        }
        self.1 += 1;
    }
}

fn structs<'a, T: 'a>(
    fields: Vec<Field>,
    values: impl Iterator<Item = Option<&'a Vec<T>>>,
    write: impl Fn(&T, &mut Parts<'_>),
) -> ArrayRef {
    let mut list = ListBuilder::new(StructBuilder::from_fields(Fields::from(fields), 0));
    for value in values {
        for one in value.into_iter().flatten() {
            let mut parts = Parts(list.values(), 0);
            write(one, &mut parts);
            parts.0.append(true);
        }
        list.append(value.is_some());
    }
    Arc::new(list.finish())
}

fn links<'a>(values: impl Iterator<Item = Option<&'a Vec<Link>>> + Clone) -> PyResult<ArrayRef> {
    fits(values.clone().flatten().flatten().map(|link| link.url.len() + link.text.len()))?;
    let fields = vec![
        text_field("url"),
        text_field("text"),
        text_field("rel"),
        Field::new("in_content", DataType::Boolean, true),
        Field::new("internal", DataType::Boolean, true),
    ];
    Ok(structs(fields, values, |link, parts| {
        parts.text(Some(&link.url));
        parts.text(Some(&link.text));
        parts.text(link.rel.as_deref());
        parts.flag(Some(link.in_content));
        parts.flag(link.internal);
    }))
}

fn posts<'a>(records: impl Iterator<Item = Option<&'a Record>> + Clone) -> PyResult<ArrayRef> {
    let values = records.map(|record| record?.posts.as_ref());
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let size = |post: &Post| post.text.len() + length(&post.author) + length(&post.time);
    fits(values.clone().flatten().flatten().map(size))?;
    let fields = vec![
        Field::new("position", DataType::Int32, true),
        text_field("author"),
        text_field("time"),
        Field::new("reply_to", DataType::Int32, true),
        Field::new("accepted", DataType::Boolean, true),
        Field::new("votes", DataType::Int64, true),
        text_field("text"),
    ];
    Ok(structs(fields, values, |post, parts| {
        parts.integer(count(post.position));
        parts.text(post.author.as_deref());
        parts.text(post.time.as_deref());
        parts.integer(post.reply_to.and_then(count));
        parts.flag(post.accepted);
        parts.long(post.votes);
        parts.text(Some(&post.text));
    }))
}

fn blocks<'a>(records: impl Iterator<Item = Option<&'a Record>> + Clone) -> PyResult<ArrayRef> {
    let values = records.map(|record| record?.blocks.as_ref());
    fits(values.clone().flatten().flatten().map(|block| block.text.len() + block.selector.len()))?;
    let fields = vec![
        text_field("text"),
        Field::new("content", DataType::Boolean, true),
        text_field("label"),
        Field::new("score", DataType::Float32, true),
        text_field("selector"),
        Field::new("words", DataType::Int32, true),
        text_field("part"),
    ];
    Ok(structs(fields, values, |block, parts| {
        parts.text(Some(&block.text));
        parts.flag(Some(block.content));
        parts.text(Some(crate::blocks::label(block)));
        parts.number(block.score);
        parts.text(Some(&block.selector));
        parts.integer(count(block.counts.words));
        parts.text(Some(block.part.name()));
    }))
}
