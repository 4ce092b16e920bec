//! Labelled blocks: what trainers learn from and what measures look at.

use webstrata::Class;
use webstrata::features::FEATURES;

/// Blocks of many pages, their features in columns.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// The features, as indices into [`FEATURES`], one for each column.
    pub features: Vec<usize>,
    /// The values, a column for each feature, a row for each block.
    pub columns: Vec<Vec<f64>>,
    /// The classes that are told apart. A problem of two classes has [`Class::Boilerplate`] first.
    pub classes: Vec<Class>,
    /// For each block, its class as an index into `classes`.
    pub labels: Vec<u8>,
    /// For each block, how much it counts: its number of words (section 4.3.1 of the WSDM paper).
    pub weights: Vec<f64>,
    /// For each block, the number of its page.
    pub pages: Vec<u32>,
    /// For each block, the number of its page's site.
    pub sites: Vec<u32>,
}

impl Examples {
    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The class of all words, where there is no other: then there is nothing to tell apart.
    pub fn only_class(&self) -> Option<Class> {
        let words = |class: usize| {
            let rows = self.labels.iter().zip(&self.weights);
            rows.filter(|(label, _)| usize::from(**label) == class)
                .map(|(_, words)| words)
                .sum::<f64>()
        };
        let mut present = (0..self.classes.len()).filter(|class| words(*class) > 0.0);
        match (present.next(), present.next()) {
            (Some(only), None) => Some(self.classes[only]),
            _ => None,
        }
    }

    /// The same blocks with some of the features only.
    ///
    /// # Panics
    ///
    /// Where one of `features` (indices into [`FEATURES`]) is not there.
    pub fn with_features(&self, features: &[usize]) -> Examples {
        let column = |feature: &usize| {
            let place = self.features.iter().position(|known| known == feature);
            let missing = || panic!("no column {}", FEATURES[*feature].name);
            self.columns[place.unwrap_or_else(missing)].clone()
        };
        Examples {
            features: features.to_vec(),
            columns: features.iter().map(column).collect(),
            ..self.without_columns()
        }
    }

    /// Some of the blocks, in the order given.
    pub fn rows(&self, rows: &[usize]) -> Examples {
        fn pick<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|row| values[*row]).collect()
        }
        Examples {
            features: self.features.clone(),
            columns: self.columns.iter().map(|column| pick(column, rows)).collect(),
            classes: self.classes.clone(),
            labels: pick(&self.labels, rows),
            weights: pick(&self.weights, rows),
            pages: pick(&self.pages, rows),
            sites: pick(&self.sites, rows),
        }
    }

    fn without_columns(&self) -> Examples {
        Examples {
            features: Vec::new(),
            columns: Vec::new(),
            classes: self.classes.clone(),
            labels: self.labels.clone(),
            weights: self.weights.clone(),
            pages: self.pages.clone(),
            sites: self.sites.clone(),
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use proptest::prelude::*;

    use super::*;

    /// Up to 80 examples of two to four classes, with many equal values and some noise, of whole
    /// weights from 1 to 4.
    pub(crate) fn any() -> impl Strategy<Value = Examples> {
        let row = ([0..8u8, 0..12u8, 0..3u8], 0..4u8, 0..5u8, 1..5u8);
        (2..5usize, prop::collection::vec(row, 1..80)).prop_map(|(classes, rows)| {
            let mut examples = self::examples(rows.len(), |row| {
                let (values, noise, coin, _) = rows[row];
                let truth = u8::from(values[0] > 3) + 2 * u8::from(values[1] > 4 + values[2]);
                let label = if coin == 0 { noise } else { truth };
                (usize::from(label) % classes, values.map(|value| f64::from(value) / 2.0))
            });
            examples.classes = first_classes(classes);
            examples.weights = rows.iter().map(|row| f64::from(row.3)).collect();
            examples
        })
    }

    /// The first so many classes, boilerplate first.
    fn first_classes(count: usize) -> Vec<Class> {
        Class::ALL.iter().map(|(class, _)| *class).take(count).collect()
    }

    /// Every example as often as its weight says, each of weight 1.
    pub(crate) fn as_copies(examples: &Examples) -> Examples {
        let copies = |row: usize| std::iter::repeat_n(row, examples.weights[row] as usize);
        let rows: Vec<usize> = (0..examples.len()).flat_map(copies).collect();
        let copies = examples.rows(&rows);
        Examples { weights: vec![1.0; copies.len()], ..copies }
    }

    /// What a model says of every example.
    pub(crate) fn verdicts(
        model: &webstrata::BlockModel,
        examples: &Examples,
    ) -> Vec<webstrata::model::Verdict> {
        let column = |feature: usize| {
            let place = examples.features.iter().position(|known| *known == feature);
            &examples.columns[place.expect("a feature of the examples")]
        };
        let verdict = |row: usize| model.classify_row(|feature| column(feature)[row]);
        (0..examples.len()).map(verdict).collect()
    }

    /// Examples of two classes with three columns each, every one a page of weight 1.
    pub(crate) fn examples(
        rows: usize,
        mut example: impl FnMut(usize) -> (usize, [f64; 3]),
    ) -> Examples {
        let mut examples = Examples {
            features: vec![0, 1, 2],
            columns: vec![Vec::new(); 3],
            classes: vec![Class::Boilerplate, Class::Content],
            weights: vec![1.0; rows],
            pages: (0..rows as u32).collect(),
            sites: (0..rows as u32).collect(),
            ..Examples::default()
        };
        for row in 0..rows {
            let (label, values) = example(row);
            examples.labels.push(label as u8);
            examples.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        examples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_rows_together() {
        let all = testing::examples(4, |row| (row % 2, [row as f64, 10.0 * row as f64, 0.0]));
        let part = all.with_features(&[1]).rows(&[3, 1]);
        assert_eq!(part.columns, [[30.0, 10.0]]);
        assert_eq!((part.features, part.labels, part.pages), (vec![1], vec![1, 1], vec![3, 1]));
        assert_eq!((all.len(), Examples::default().is_empty()), (4, true));
    }

    #[test]
    #[should_panic(expected = "no column text-density")]
    fn a_missing_feature_is_a_mistake_of_the_program() {
        let density = webstrata::features::feature("text-density").unwrap();
        testing::examples(1, |_| (0, [0.0; 3])).with_features(&[density]);
    }
}
