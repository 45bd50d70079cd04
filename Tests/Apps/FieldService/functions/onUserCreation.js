exports = async function (user) {};
